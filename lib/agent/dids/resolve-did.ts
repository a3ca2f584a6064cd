/**
 * Resolves any DID, with the guarded client and without storing anything.
 * https://www.w3.org/TR/did-core/#did-resolution
 */
import { AgentError, shortReason } from '../../errors.ts'
import { transaction } from '../../store/transaction.ts'
import { currentAgent } from '../credo/index.ts'
import { type DidResolution, unreadableMember, unreadDocument } from '../web/index.ts'

export interface Resolution {
  didDocument: object
  didDocumentMetadata: object
  didResolutionMetadata: object
}

/** Hidden, because all tenants share the cache: these fields show whether another tenant has resolved the DID. */
const CACHE_FIELDS = ['servedFromCache', 'resolutionTime']

/**
 * Throws `resource.not_found`, `registry.unavailable` if the document could not be fetched, and `request.invalid` for a
 * DID that this agent cannot resolve, or a document that it cannot read.
 */
export const resolveDid = (tenant: string, did: string): Promise<Resolution> =>
  transaction(tenant, async () => {
    const resolution: DidResolution = await (await currentAgent()).dids.resolve(did)
    const { didDocument, published, didDocumentMetadata, didResolutionMetadata } = resolution
    if (didDocument === null) throw unreadDocument() ?? unresolved(didResolutionMetadata)
    const member = unreadableMember(didDocument)
    if (member !== undefined) throw unresolved({ error: 'invalidDidDocument', member })
    const metadata = Object.entries(didResolutionMetadata).filter(([name]) => !CACHE_FIELDS.includes(name))
    return {
      didDocument: published ?? didDocument.toJSON(),
      didDocumentMetadata,
      didResolutionMetadata: Object.fromEntries(metadata),
    }
  })

const unresolved = ({ error = 'notFound', message, member }: DidResolution['didResolutionMetadata']): AgentError => {
  const reason =
    typeof member === 'string'
      ? { path: `didDocument.${member}`, message: 'cannot be read' }
      : { path: 'didResolutionMetadata.message', message: shortReason(message ?? '') }
  const details = [{ path: 'didResolutionMetadata.error', message: error }, ...(reason.message === '' ? [] : [reason])]
  return error === 'notFound'
    ? new AgentError('resource.not_found', 'there is no document of this DID', { details })
    : new AgentError('request.invalid', 'the DID cannot be resolved', { details })
}
