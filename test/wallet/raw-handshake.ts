/** did-exchange by hand (Aries RFC 0023), for wallets unlike Credo's: any DID, any document, replies by return route only. */
import { randomUUID } from 'node:crypto'
import {
  DidDocument,
  DidKey,
  DidRepository,
  JsonEncoder,
  JsonTransformer,
  JwsService,
  Kms,
  TypedArrayEncoder,
} from '@credo-ts/core'
import type { RawAnswer, RawMessages, Route } from './raw-messages.ts'
import type { Wallet } from './wallet.ts'

export type Ed25519Key = NonNullable<Route['senderKey']>

export interface HandshakeRequest {
  /** The DID that the wallet names. */
  did: string
  /** The key that it packs the request with. */
  senderKey: Ed25519Key
  version?: '1.0' | '1.1'
  /** A document to attach, signed by `signedBy` or else by the sender. */
  document?: object
  signedBy?: Ed25519Key
  /** Changes the message before it is sent. */
  alter?: (message: Record<string, unknown>) => Record<string, unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: an invitation is JSON that each test looks into
type Invitation = any

const type = (name: string, version = '1.1') => `https://didcomm.org/didexchange/${version}/${name}`
const RETURN_ROUTE = { '~transport': { return_route: 'all' } }

export class RawHandshake {
  readonly #wallet: Wallet
  readonly #raw: RawMessages

  constructor(wallet: Wallet, raw: RawMessages) {
    this.#wallet = wallet
    this.#raw = raw
  }

  /** A key of the wallet, which can decrypt replies to it. */
  async newKey(): Promise<Ed25519Key> {
    const key = await this.#raw.newKey()
    const { context } = this.#wallet.agent
    await context.resolve(DidRepository).storeCreatedDid(context, {
      did: new DidKey(key).did,
      tags: { recipientKeyFingerprints: [key.fingerprint] },
      keys: [{ didDocumentRelativeKeyId: `#${key.fingerprint}`, kmsKeyId: key.keyId }],
    })
    return key
  }

  /** Sends a request for an invitation, and returns the reply. */
  async request(invitation: Invitation, request: HandshakeRequest): Promise<RawAnswer> {
    const { did, senderKey, version, document, signedBy, alter = (message) => message } = request
    const message = alter({
      '@type': type('request', version),
      '@id': randomUUID(),
      '~thread': { pthid: invitation['@id'] },
      ...RETURN_ROUTE,
      label: 'Raw',
      did,
      ...(document && { 'did_doc~attach': await this.signed(document, signedBy ?? senderKey) }),
    })
    const route = await this.#raw.routeToDid(invitation.services[0])
    return this.#raw.send(message, { ...route, senderKey })
  }

  /** Completes the handshake that a response belongs to. Returns the route of the new connection. */
  async complete(response: Invitation, senderKey: Ed25519Key, version?: '1.0'): Promise<Route & { answer: RawAnswer }> {
    const attached = response['did_doc~attach']
    if (attached) await this.#store(response.did, JsonEncoder.fromBase64(attached.data.base64))
    const route = { ...(await this.#raw.routeToDid(response.did)), senderKey }
    const message = {
      '@type': type('complete', version),
      '@id': randomUUID(),
      '~thread': response['~thread'],
      ...RETURN_ROUTE,
    }
    return { ...route, answer: await this.#raw.send(message, route) }
  }

  async #store(did: string, document: object): Promise<void> {
    const { context } = this.#wallet.agent
    const didDocument = JsonTransformer.fromJSON(document, DidDocument)
    await context.resolve(DidRepository).storeReceivedDid(context, { did, didDocument })
  }

  /** An attachment with a detached JWS, as ACA-Py makes it. */
  async signed(document: object, key: Ed25519Key): Promise<object> {
    const { context } = this.#wallet.agent
    const { did: kid } = new DidKey(key)
    const { payload: _, ...jws } = await context.resolve(JwsService).createJws(context, {
      payload: JsonEncoder.toBuffer(document),
      keyId: key.keyId,
      header: { kid },
      protectedHeaderOptions: { alg: Kms.KnownJwaSignatureAlgorithms.EdDSA, jwk: key },
    })
    return { '@id': 'doc', 'mime-type': 'application/json', data: { base64: JsonEncoder.toBase64(document), jws } }
  }
}

/** The document of an unqualified DID as ACA-Py writes it; without an endpoint it has no service. */
export const legacyDocument = (did: string, key: Ed25519Key, endpoint?: string, routingKeys: string[] = []): object => {
  const publicKeyBase58 = TypedArrayEncoder.toBase58(key.publicKey.publicKey)
  const id = `did:sov:${did}`
  return {
    '@context': 'https://w3id.org/did/v1',
    id,
    publicKey: [{ id: `${id}#1`, type: 'Ed25519VerificationKey2018', controller: id, publicKeyBase58 }],
    authentication: [{ type: 'Ed25519SignatureAuthentication2018', publicKey: `${id}#1` }],
    service:
      endpoint === undefined
        ? []
        : [
            {
              id: `${id};indy`,
              type: 'IndyAgent',
              priority: 0,
              recipientKeys: [publicKeyBase58],
              routingKeys,
              serviceEndpoint: endpoint,
            },
          ],
  }
}

/** A key of a legacy document or service. */
export const keyOfBase58 = (text: string): Ed25519Key =>
  Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: TypedArrayEncoder.fromBase58(text) })

/** Of a key: the first 16 bytes in base58 (did:sov). */
export const unqualifiedDid = (key: Ed25519Key): string =>
  TypedArrayEncoder.toBase58(key.publicKey.publicKey.slice(0, 16))
