/** Whether messages can be sent to a DID that another agent names, and the keys that it is known by. */
import { type AgentContext, CredoError, type DidDocument, DidResolverService } from '@credo-ts/core'

/** `code` is one of Aries RFC 0794, "Problem Report". */
export class UnusableDidError extends CredoError {
  readonly code: 'e.did.unresolvable' | 'e.did.method_unsupported' | 'e.did.doc_unsupported'

  constructor(code: UnusableDidError['code']) {
    super(`the DID can not be used: ${code}`)
    this.code = code
  }
}

/** Methods 1, and 4 in its short form: the document is not in the DID. Those of other connections are nobody else's business. */
const WITHOUT_DOCUMENT = /^did:peer:(?:1|4[^:]*$)/

/** Fingerprints of the recipient keys of a DID's services. Throws `UnusableDidError`. */
export const recipientKeysOf = async (agentContext: AgentContext, did: string): Promise<string[]> => {
  if (WITHOUT_DOCUMENT.test(did)) throw new UnusableDidError('e.did.unresolvable')
  const resolver = agentContext.resolve(DidResolverService)
  const { didDocument, didResolutionMetadata } = await resolver.resolve(agentContext, did)
  if (didResolutionMetadata.error === 'unsupportedDidMethod') throw new UnusableDidError('e.did.method_unsupported')
  if (didDocument === null) throw new UnusableDidError('e.did.unresolvable')
  const keys = keysOf(didDocument)
  if (keys.length === 0) throw new UnusableDidError('e.did.doc_unsupported')
  return keys
}

const keysOf = (document: DidDocument): string[] => {
  try {
    return document.recipientKeys.map(({ fingerprint }) => fingerprint)
  } catch {
    // Credo throws for references that lead nowhere, and for key types that it does not know.
    return []
  }
}
