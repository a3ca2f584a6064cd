/**
 * Resolves any DID, with the guarded client and without storing anything.
 * https://www.w3.org/TR/did-core/#did-resolution
 */
import * as v from 'valibot'
import { AgentError } from '../../errors.ts'
import { DidDocument } from '../../records/did.ts'
import { transaction } from '../../store/transaction.ts'
import { currentAgent } from '../credo/index.ts'
import { isReadableDocument } from '../envelopes/index.ts'
import { unreadDocument } from '../web/index.ts'

export interface Resolution {
  didDocument: object
  didDocumentMetadata: object
  didResolutionMetadata: object
}

/** Hidden, because all tenants share the cache: these fields tell whether another tenant has resolved the DID. */
const OF_CACHE = ['servedFromCache', 'resolutionTime']

/**
 * Throws `resource.not_found`, `registry.unavailable` if the host does not say whether there is a document, and
 * `request.invalid` for a DID that this agent can't resolve. The errors give no network details.
 */
export const resolveDid = (tenant: string, did: string): Promise<Resolution> =>
  transaction(tenant, async () => {
    const { didDocument, didDocumentMetadata, didResolutionMetadata } = await (await currentAgent()).dids.resolve(did)
    if (didDocument === null) throw unreadDocument() ?? unresolved(didResolutionMetadata.error ?? 'notFound')
    const document = didDocument.toJSON()
    // Other agents may write anything into a document, or into a DID that contains one. Malformed ones are not passed on.
    if (!v.is(DidDocument, document) || !isReadableDocument(document)) throw unresolved('invalidDidDocument')
    const metadata = Object.entries(didResolutionMetadata).filter(([name]) => !OF_CACHE.includes(name))
    return {
      didDocument: document,
      didDocumentMetadata,
      didResolutionMetadata: Object.fromEntries(metadata),
    }
  })

const unresolved = (error: string): AgentError => {
  const details = [{ path: 'didResolutionMetadata.error', message: error }]
  return error === 'notFound'
    ? new AgentError('resource.not_found', 'there is no document of this DID', { details })
    : new AgentError('request.invalid', 'the DID can not be resolved', { details })
}
