/**
 * Checks the DID or document of a handshake message (Aries RFC 0023, 0160): it must belong to the key that packed the
 * message.
 */
import {
  type AgentContext,
  CredoError,
  createPeerDidDocumentFromServices,
  DidCommV1Service,
  type DidDocument,
  DidKey,
  DidsApi,
  didDocumentJsonToNumAlgo1Did,
  didDocumentToNumAlgo4Did,
  IndyAgentService,
  isDid,
  JsonTransformer,
  JwsService,
  Kms,
  TypedArrayEncoder,
  type VerificationMethod,
} from '@credo-ts/core'
import {
  DidCommConnection,
  type DidCommConnectionResponseMessage,
  type DidCommDidExchangeRequestMessage,
  type DidDoc,
  DidExchangeProblemReportError,
  DidExchangeProblemReportReason,
} from '@credo-ts/didcomm'
import { isObject, parseBase64 } from '../../json.ts'
import { authenticationMethod, carriesDocument, mayBeTheirDid } from '../dids/index.ts'
import { isReadableDocument } from '../envelopes/index.ts'
import { type Ed25519Key, keyOfVerkey } from '../keys/index.ts'
import { QUEUE } from '../transport/index.ts'
import { assertReadableServices, readDidDocument } from '../web/index.ts'
import { toDidDoc } from './legacy-did-doc.ts'

interface TheirDid {
  did: string
  /** Only if the DID does not contain it. */
  didDocument?: DidDocument
}

type Request = Pick<DidCommDidExchangeRequestMessage, 'did' | 'didDoc'>

/**
 * The DID to use for the sender of a request. A DID without a method (ACA-Py, did-exchange 1.0) is replaced by a
 * did:peer:4 of its document. Throws a problem report if the DID or its document does not belong to the sender's key.
 */
export const theirDidOf = async (
  agentContext: AgentContext,
  request: Request,
  senderKey: Ed25519Key,
): Promise<TheirDid> => {
  const { did } = request
  if (!did.startsWith('did:') || isDid(did, 'sov')) {
    const document = toDidDoc(await attachedDocument(agentContext, request, senderKey))
    if (unqualified(document.id) !== unqualified(did))
      throw requestNotAccepted('the attached document belongs to another DID')
    assertOfSender(document, senderKey)
    return { did: toPeerDid(document, senderKey) }
  }
  if (PEER_OF_DOCUMENT.test(did)) {
    const didDocument = documentOf(did, await attachedDocument(agentContext, request, senderKey))
    if (didDocument === null) throw requestNotAccepted('the attached document belongs to another DID')
    return { did, didDocument: storable(didDocument, senderKey) }
  }
  if (!mayBeTheirDid(did)) throw requestNotAccepted('the DID is a DID URL, or does not contain its document')
  const document = await agentContext.resolve(DidsApi).resolveDidDocument(did)
  // A wallet whose did:peer contains an unreadable service may connect: it can fetch messages by return route.
  if (!carriesDocument(did)) assertReadableServices(document)
  if (document.id !== did || authenticationMethod(document, senderKey) === undefined)
    throw requestNotAccepted(NOT_OF_SENDER)
  return { did }
}

/**
 * Checks that the DID of a response belongs to the sender, and that its document has no other recipient key: messages
 * from that key would be attributed to this connection. Returns the sender's key. Throws a problem report.
 */
export const assertOfResponder = async (
  agentContext: AgentContext,
  { did, didDoc }: Request,
  senderKey: Ed25519Key | undefined,
): Promise<Ed25519Key> => {
  if (senderKey === undefined) throw requestNotAccepted('the response is not authenticated')
  const document = PEER_OF_DOCUMENT.test(did)
    ? documentOf(did, parseBase64(didDoc?.data.base64 ?? ''))
    : mayBeTheirDid(did)
      ? (await agentContext.resolve(DidsApi).resolve(did)).didDocument
      : null
  if (document === null)
    throw responseNotAccepted('the DID of the response has no document, or one that differs from the attached document')
  if (onlyMethod(document, senderKey) === undefined)
    throw responseNotAccepted('the response is not packed with the key of the DID that it names')
  return senderKey
}

/** Method 1: the DID is a hash of its document, which is attached. */
const PEER_OF_DOCUMENT = /^did:peer:1/

const documentOf = (did: string, json: unknown): DidDocument | null =>
  isObject(json) && didDocumentJsonToNumAlgo1Did(json) === did
    ? readDidDocument({ ...json, id: did }).didDocument
    : null

/** The method with which a key authenticates for a DID whose services have no other key. */
const onlyMethod = (document: DidDocument, key: Ed25519Key): VerificationMethod | undefined =>
  document.recipientKeys.every((one) => one.equals(key)) ? authenticationMethod(document, key) : undefined

const NOT_OF_SENDER = 'the request is not packed with a key of the DID that it names'

const unqualified = (did: string): string => did.replace(/^did:sov:/, '')

/**
 * Credo finds a stored document by the recipient keys of its services, so there must be one, and all must be the
 * sender's.
 */
const storable = (document: DidDocument, senderKey: Ed25519Key): DidDocument => {
  const method = onlyMethod(document, senderKey)
  if (method === undefined) throw requestNotAccepted(NOT_OF_SENDER)
  if (document.recipientKeys.length > 0) return document
  const queue = new DidCommV1Service({ id: '#queue', serviceEndpoint: QUEUE, recipientKeys: [method.id] })
  document.service = [...(document.service ?? []), queue]
  return document
}

/** The attached DID document as JSON, signed by the sender. */
const attachedDocument = async (agentContext: AgentContext, { didDoc }: Request, senderKey: Ed25519Key) => {
  const { base64, jws } = didDoc?.data ?? {}
  if (base64 === undefined || jws === undefined) throw requestNotAccepted('the request has no signed DID document')
  const payload = Buffer.from(base64, 'base64').toString('base64url')
  const { isValid } = await agentContext.resolve(JwsService).verifyJws(agentContext, {
    jws: { ...jws, payload },
    jwsSigner: { method: 'jwk', jwk: senderKey },
  })
  if (!isValid) throw requestNotAccepted('the attached document is not signed by the sender')
  const json = parseBase64(base64)
  if (!isObject(json)) throw requestNotAccepted('the attached document is not a JSON object')
  return json
}

export const requestNotAccepted = (message: string): DidExchangeProblemReportError =>
  new DidExchangeProblemReportError(message, { problemCode: DidExchangeProblemReportReason.RequestNotAccepted })

const responseNotAccepted = (message: string): DidExchangeProblemReportError =>
  new DidExchangeProblemReportError(message, { problemCode: DidExchangeProblemReportReason.ResponseNotAccepted })

/**
 * Checks that the document of a DID without a method (Aries RFC 0160, and 0023 at version 1.0) belongs to its sender,
 * and adds a queue if it has no service. Throws a CredoError if it has another recipient key: messages packed with that
 * key would be attributed to this wallet.
 */
export const assertOfSender = (document: DidDoc | undefined, senderKey: Ed25519Key | undefined): void => {
  if (document === undefined || senderKey === undefined) return
  const own = TypedArrayEncoder.toBase58(senderKey.publicKey.publicKey)
  const keys = [...document.publicKey, ...document.authentication.map(({ publicKey }) => publicKey)]
  const services = document.didCommServices
  if (!document.publicKey.some(({ value }) => value === own)) throw new CredoError('the document lacks the sender key')
  // Credo reads recipient keys of an IndyAgent as keys, and those of other services as ids, of which it compares only
  // the last part: several keys may have the same.
  const named = services.flatMap(({ type, recipientKeys }) =>
    type === IndyAgentService.type ? recipientKeys : keys.map(({ value }) => value),
  )
  if (named.some((key) => key !== own)) throw new CredoError('the document names a key other than the sender key')
  const queue = { id: `${document.id}#queue`, serviceEndpoint: QUEUE, recipientKeys: [own] }
  if (services.length === 0) document.service.push(new IndyAgentService(queue))
}

/** The same for the document that a response of connections/1.0 has signed. Throws a CredoError if it is too large. */
export const assertSignedOfSender = (
  { connectionSig: { signatureData } }: DidCommConnectionResponseMessage,
  senderKey: Ed25519Key | undefined,
): void => {
  // Credo has checked the signature by the invitation's key. The first 8 bytes are a timestamp (Aries RFC 0234).
  const signed: unknown = JSON.parse(Buffer.from(signatureData, 'base64').subarray(8).toString())
  // Not an attachment, so it was not checked with the message.
  if (!isReadableDocument(signed)) throw new CredoError('the signed document is too large')
  assertOfSender(JsonTransformer.fromJSON(signed, DidCommConnection).didDoc, senderKey)
}

/**
 * Converts such a document to a did:peer:4, which only this agent uses for the wallet. Throws a problem report if it is
 * too large for that.
 */
const toPeerDid = (document: DidDoc, senderKey: Ed25519Key): string => {
  const services = document.didCommServices.map(({ serviceEndpoint, routingKeys = [] }, index) => ({
    id: `#didcomm-${index}`,
    serviceEndpoint,
    recipientKeys: [senderKey],
    routingKeys: routingKeys.map(toKey),
  }))
  const { didDocument } = createPeerDidDocumentFromServices(services, false)
  if (JSON.stringify(didDocument).length > MAX_DOCUMENT) throw requestNotAccepted('the attached document is too large')
  return didDocumentToNumAlgo4Did(didDocument).longFormDid
}

/**
 * Of the document in a did:peer:4, in characters: base58 makes them a third more, and no DID is longer than
 * `MAX_IDENTIFIER`.
 */
const MAX_DOCUMENT = 2900

/** Routing keys are in base58, or are DIDs. */
const toKey = (key: string): Ed25519Key => {
  const parsed = key.startsWith('did:key:') ? DidKey.fromDid(key).publicJwk : keyOfVerkey(key)
  if (!parsed.is(Kms.Ed25519PublicJwk)) throw new CredoError('a routing key must be an Ed25519 key')
  return parsed
}
