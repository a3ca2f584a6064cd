/**
 * Converts the attached document of a DID without a method (Aries RFC 0023, version 1.0) to the form of RFC 0160.
 * Credo's class accepts only two contexts, and throws for an unreadable service.
 */
import { JsonTransformer } from '@credo-ts/core'
import { DidDoc } from '@credo-ts/didcomm'
import { isObject, type JsonObject, removeNulls } from '../../json.ts'
import { didCommTypeOf } from '../web/index.ts'

/** Changes the document. Throws a CredoError for keys and DIDComm services that cannot be read: all are checked. */
export const toDidDoc = (document: JsonObject): DidDoc => {
  removeNulls(document, [])
  const { id, publicKey, service } = document
  const toOwn = (key: unknown) => (isObject(key) ? { controller: id, ...key } : key)
  const toService = (one: unknown) => {
    const type = didCommTypeOf(one)
    return isObject(one) && type !== undefined ? [{ ...one, type }] : []
  }
  const legacy = {
    ...document,
    '@context': 'https://w3id.org/did/v1',
    ...(Array.isArray(publicKey) && { publicKey: publicKey.map(toOwn) }),
    ...(Array.isArray(service) && { service: service.flatMap(toService) }),
  }
  return JsonTransformer.fromJSON(legacy, DidDoc)
}
