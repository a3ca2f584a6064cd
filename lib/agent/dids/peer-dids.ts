/**
 * Decodes the documents that a did:peer contains, because Credo's class is stricter than DID Core.
 * https://identity.foundation/peer-did-method-spec/
 */
import {
  type AgentContext,
  CredoError,
  DidRepository,
  type DidResolutionResult,
  MultiBaseEncoder,
  MultiHashEncoder,
  TypedArrayEncoder,
} from '@credo-ts/core'
import { isObject, type JsonObject, parseBase64, parseJson } from '../../json.ts'
import { MAX_IDENTIFIER } from '../envelopes/index.ts'
import { RELATIONSHIPS, readDidDocument, resolutionOf } from '../web/index.ts'
import { INVALID, resolveOnce } from './did-documents.ts'

const KEY = 'z[1-9a-km-zA-HJ-NP-Z]{5,200}'

/**
 * Credo's pattern, with two corrections: the dot is literal, so that matching is unambiguous and takes linear time, and
 * all characters of base64url are allowed.
 * https://identity.foundation/peer-did-method-spec/#abnf-for-peer-dids
 */
const PEER_DID = new RegExp(
  `^did:peer:(?:[01]${KEY}|2(?:\\.[AEVID]${KEY})+(?:\\.S[0-9a-zA-Z_=-]*)*|4z[1-9a-km-zA-HJ-NP-Z]{46}(?::z[1-9a-km-zA-HJ-NP-Z]{6,})?)$`,
)

/** All but method 1 and the short form of method 4, whose documents are in records of the tenant. */
const CARRIES_DOCUMENT = /^did:peer:(?:[02]|4[^:]+:)/

export const carriesDocument = (did: string): boolean => CARRIES_DOCUMENT.test(did)

/** Abbreviated names of members in method 2. */
const NAMES = new Map(Object.entries({ t: 'type', s: 'serviceEndpoint', r: 'routingKeys', a: 'accept' }))

const expand = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(expand)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [NAMES.get(name) ?? name, expand(member)]))
}

/** Services of method 2, with the same ids as in Credo. */
const servicesIn = (did: string, encoded: readonly string[]): unknown[] =>
  encoded
    .flatMap((text) => parseBase64(text) ?? text)
    .map(expand)
    .map((service, index) => {
      if (!isObject(service)) return service
      const { serviceEndpoint } = service
      // Services whose endpoint is a string have the type from before DIDComm v2 was finished.
      const abbreviated = typeof serviceEndpoint === 'string' ? 'DIDComm' : 'DIDCommMessaging'
      const type = service.type === 'dm' ? abbreviated : service.type
      return { ...service, type, id: `${did}#${String(type).toLowerCase()}-${index}` }
    })

type Resolve = (did: string) => Promise<DidResolutionResult>

/** Credo resolves the keys. */
const readPeer2 = async (did: string, resolve: Resolve): Promise<JsonObject> => {
  const [keys = '', ...encoded] = did.split('.S')
  const { didDocument, didResolutionMetadata } = await resolve(keys)
  if (didDocument === null) throw new CredoError(didResolutionMetadata.message ?? 'a key of the DID cannot be read')
  const document: JsonObject = JSON.parse(JSON.stringify(didDocument.toJSON()).replaceAll(keys, did))
  return encoded.length === 0 ? document : { ...document, service: servicesIn(did, encoded) }
}

/** JSON as a multicodec. */
const JSON_CODEC = Buffer.from([0x80, 0x04])

const METHODS = ['verificationMethod', ...RELATIONSHIPS, 'capabilityInvocation', 'capabilityDelegation']

/** https://identity.foundation/peer-did-method-spec/#resolving-a-did */
const readPeer4 = (did: string): unknown => {
  const short = did.slice(0, did.lastIndexOf(':'))
  const encoded = did.slice(short.length + 1)
  const hash = MultiHashEncoder.encode(TypedArrayEncoder.fromString(encoded), 'sha-256')
  const decoded = Buffer.from(MultiBaseEncoder.decode(encoded).data)
  if (short !== `did:peer:4${MultiBaseEncoder.encode(hash, 'base58btc')}`)
    throw new CredoError('the hash in the DID does not match its document')
  const document = decoded.subarray(0, 2).equals(JSON_CODEC) ? parseJson(decoded.subarray(2).toString()) : undefined
  if (!isObject(document)) return undefined
  const withController = (method: unknown) => (isObject(method) ? { controller: did, ...method } : method)
  for (const name of METHODS) if (Array.isArray(document[name])) document[name] = document[name].map(withController)
  return { ...document, id: did, alsoKnownAs: [short] }
}

const UNKNOWN: DidResolutionResult = {
  didDocument: null,
  didDocumentMetadata: {},
  didResolutionMetadata: { error: 'notFound', message: 'this agent does not know the long form of the DID' },
}

const SHORT_FORM = /^did:peer:4[^:]+$/

/** The document of a did:peer; none if the DID is malformed. `resolve` is Credo's. */
export const resolvePeerDid = async (
  agentContext: AgentContext,
  did: string,
  resolve: Resolve,
): Promise<DidResolutionResult> => {
  if (did.length > MAX_IDENTIFIER || !PEER_DID.test(did)) return INVALID
  if (SHORT_FORM.test(did)) {
    const [record] = await agentContext.resolve(DidRepository).findAllByDid(agentContext, did)
    const long = record?.did ?? did
    return SHORT_FORM.test(long) ? UNKNOWN : resolvePeerDid(agentContext, long, resolve)
  }
  if (/^did:peer:[24]/.test(did)) {
    const read = async () => (did.startsWith('did:peer:2') ? readPeer2(did, resolve) : readPeer4(did))
    return resolveOnce(did, () => resolutionOf(async () => readDidDocument(await read())))
  }
  return carriesDocument(did) ? resolveOnce(did, () => resolve(did)) : resolve(did)
}
