/** DID documents that are read, such as those of did:web: https://w3c-ccg.github.io/did-method-web/#read-resolve */
import { CredoError, DidDocument, type DidResolutionResult, JsonTransformer } from '@credo-ts/core'
import { isObject, parseDocument } from '../../json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { isOurWebDid, ourWebDocument } from '../../webvh/web-document.ts'
import { isReadableDocument } from '../envelopes/index.ts'
import { readText, unreadable } from './documents.ts'

/** The result of a resolution: the document of `resolve`, or none with the message of its error. */
export const resolutionOf = async (resolve: () => Promise<DidDocument>): Promise<DidResolutionResult> => {
  const didDocumentMetadata = {}
  try {
    const didDocument = await resolve()
    return { didDocument, didDocumentMetadata, didResolutionMetadata: { contentType: 'application/did+ld+json' } }
  } catch (error) {
    // A page in place of the document: it may come back.
    if (error instanceof SyntaxError) unreadable('the document is not JSON')
    const message = error instanceof Error ? error.message : 'unknown'
    return { didDocument: null, didDocumentMetadata, didResolutionMetadata: { error: 'notFound', message } }
  }
}

/** A DID document from JSON. Throws a CredoError if it is too large. */
export const toDidDocument = (json: object): DidDocument => {
  if (!isReadableDocument(json)) throw new CredoError('the document is too large')
  return JsonTransformer.fromJSON(json, DidDocument)
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
  return parseDocument(await readText(`https://${host}/${file}`))
}

export const resolveWebDid = (did: string, { id }: { id: string }): Promise<DidResolutionResult> =>
  resolutionOf(async () => {
    const json = await readWebDocument(did, id)
    if (!isObject(json) || json.id !== did) throw new CredoError('the document is of another DID')
    return toDidDocument(json)
  })
