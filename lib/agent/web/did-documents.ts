/** Fetches DID documents, such as those of did:web: https://w3c-ccg.github.io/did-method-web/#read-resolve */
import { CredoError, type DidResolutionResult } from '@credo-ts/core'
import { parseJson } from '../../json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { isOurWebDid, ourWebDocument } from '../../webvh/web-document.ts'
import { readText, recordUnreadable } from './documents.ts'
import { InvalidDocumentError, type ReadDidDocument, readDidDocument } from './read-did-document.ts'

/** Credo's result and the document as published; Credo's cache has both. */
export interface DidResolution extends DidResolutionResult {
  published?: object
}

/** The result of a resolution: the document of `resolve`, or none with the message of its error. */
export const resolutionOf = async (resolve: () => Promise<ReadDidDocument>): Promise<DidResolution> => {
  const didDocumentMetadata = {}
  try {
    const read = await resolve()
    return { ...read, didDocumentMetadata, didResolutionMetadata: { contentType: 'application/did+ld+json' } }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'unknown'
    const invalid = error instanceof InvalidDocumentError && { error: 'invalidDidDocument', member: error.member }
    return { didDocument: null, didDocumentMetadata, didResolutionMetadata: { error: 'notFound', message, ...invalid } }
  }
}

/**
 * The document of a did:web: this service's own from the table, others through the guarded client. Throws if there is
 * none.
 */
const readWebDocument = async (did: string, id: string): Promise<unknown> => {
  if (isOurWebDid(did)) {
    const hosted = await ourWebDocument(currentUnit(), did)
    if (hosted === undefined) throw new CredoError(`the DID ${did} does not exist`)
    return hosted
  }
  const [host = '', ...path] = id.split(':').map(decodeURIComponent)
  const file = path.length === 0 ? '.well-known/did.json' : `${path.join('/')}/did.json`
  const document = parseJson(await readText(`https://${host}/${file}`))
  // The host may serve an error page instead of the document for a while.
  if (document === undefined) throw recordUnreadable('the document is not JSON', host)
  return document
}

export const resolveWebDid = (did: string, { id }: { id: string }): Promise<DidResolution> =>
  resolutionOf(async () => {
    const read = readDidDocument(await readWebDocument(did, id))
    if (read.didDocument.id !== did) throw new CredoError('the document belongs to another DID')
    return read
  })
