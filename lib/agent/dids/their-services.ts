/** Endpoints and keys of other agents from their DID documents, also from documents without a service. */
import {
  type AgentContext,
  CredoError,
  type DidDocument,
  DidResolverService,
  getPublicJwkFromVerificationMethod,
  Kms,
  type VerificationMethod,
} from '@credo-ts/core'
import { DidCommDocumentService } from '@credo-ts/didcomm'
import { invalidUrlReason } from '../../egress/address-guard.ts'
import { settings } from '../../settings.ts'
import { MAX_KEYS as MAX_RECIPIENTS } from '../envelopes/index.ts'
import type { Ed25519Key } from '../keys/index.ts'
import { QUEUE } from '../transport/index.ts'
import { assertReadableServices, isKeyRevokedOrExpired } from '../web/index.ts'
import { mayBeTheirDid } from './their-did-forms.ts'

/** Ed25519 keys that may pack messages of a DID, with their verification methods. */
const authenticationKeys = (document: DidDocument): { method: VerificationMethod; key: Ed25519Key }[] =>
  (document.authentication ?? []).flatMap((one) => {
    try {
      const method = typeof one === 'string' ? document.dereferenceVerificationMethod(one) : one
      const key = getPublicJwkFromVerificationMethod(method)
      return key.is(Kms.Ed25519PublicJwk) && !isKeyRevokedOrExpired(method) ? [{ method, key }] : []
    } catch {
      // Credo throws for an unknown type of key.
      return []
    }
  })

/** The verification method with which a key authenticates for a DID; undefined if there is none. */
export const authenticationMethod = (document: DidDocument, sender: Ed25519Key): VerificationMethod | undefined =>
  authenticationKeys(document).find(({ key }) => key.equals(sender))?.method

type Services = Awaited<ReturnType<DidCommDocumentService['resolveServicesFromDid']>>
export type Service = Services[number]

/**
 * The services of a DID, or a queue if its document has none: otherwise Credo would find no key to pack for, and report
 * an internal error.
 */
export const servicesOrQueue = async (
  agentContext: AgentContext,
  did: string,
  services: Services,
): Promise<Services> => {
  if (services.length > 0 || did.includes('#')) return services
  const document = await agentContext.resolve(DidResolverService).resolveDidDocument(agentContext, did)
  const recipientKeys = authenticationKeys(document).map(({ key }) => key)
  // Without a key, no message could be decrypted.
  if (recipientKeys.length === 0) return []
  return [{ id: '#queue', recipientKeys, routingKeys: [], serviceEndpoint: QUEUE }]
}

/** The codes of Aries RFC 0794, "Problem Report", and `e.did.too_many_rotations` of this agent. */
export class UnusableDidError extends CredoError {
  readonly code:
    | 'e.did.unresolvable'
    | 'e.did.method_unsupported'
    | 'e.did.doc_unsupported'
    | 'e.did.too_many_rotations'

  constructor(code: UnusableDidError['code']) {
    super(`the DID cannot be used: ${code}`)
    this.code = code
  }
}

/** Maximum number of keys of another agent's document: each becomes an index entry. */
const MAX_KEYS = 4

/** Fingerprints of the recipient keys in a DID's services. Throws `UnusableDidError`. */
export const recipientKeysOf = async (agentContext: AgentContext, did: string): Promise<string[]> => {
  if (!mayBeTheirDid(did)) throw new UnusableDidError('e.did.unresolvable')
  const resolver = agentContext.resolve(DidResolverService)
  const { didDocument, didResolutionMetadata } = await resolver.resolve(agentContext, did)
  if (didResolutionMetadata.error === 'unsupportedDidMethod') throw new UnusableDidError('e.did.method_unsupported')
  if (didDocument === null) throw new UnusableDidError('e.did.unresolvable')
  const keys = keysOf(didDocument)
  if (keys.length === 0 || keys.length > MAX_RECIPIENTS) throw new UnusableDidError('e.did.doc_unsupported')
  return keys
}

/** Fingerprints of the recipient keys in a document's services; none if one of them is unreadable. */
export const keysOf = (document: DidDocument): string[] => {
  try {
    return [...new Set(document.recipientKeys.map(({ fingerprint }) => fingerprint))]
  } catch {
    // Credo throws for dangling references and unknown types of keys.
    return []
  }
}

/**
 * The services of a DID that have an HTTP endpoint. Throws if the DID does not resolve, an endpoint is rejected by the
 * address guard, or there is none because a service cannot be read.
 */
export const reachableServicesOf = async (agentContext: AgentContext, did: string): Promise<Services> => {
  const services = await agentContext.resolve(DidCommDocumentService).resolveServicesFromDid(agentContext, did)
  const reachable = services.filter(({ serviceEndpoint }) => /^https?:/i.test(serviceEndpoint))
  const policy = { local: settings().LOCAL_STAGE }
  if (reachable.some(({ serviceEndpoint }) => invalidUrlReason(serviceEndpoint, policy) !== undefined))
    throw new UnusableDidError('e.did.doc_unsupported')
  if (reachable.length === 0) assertReadableServices({ service: services })
  return reachable
}

/** Fingerprints of the recipient keys in these services. Throws as `reachableServicesOf`. */
export const reachableKeysOf = async (agentContext: AgentContext, did: string): Promise<string[]> => {
  if (!mayBeTheirDid(did)) throw new UnusableDidError('e.did.unresolvable')
  const services = await reachableServicesOf(agentContext, did)
  const keys = services.flatMap(({ recipientKeys }) => recipientKeys.map(({ fingerprint }) => fingerprint))
  return [...new Set(keys)].slice(0, MAX_KEYS)
}
