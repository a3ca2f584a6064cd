/** Raw DIDComm of a wallet, for attacks: any JSON as a message, packed from any key to any key, and envelopes made by hand. */
import { getPublicJwkFromVerificationMethod, JsonEncoder, Kms } from '@credo-ts/core'
import { DidCommDocumentService, type DidCommEncryptedMessage, DidCommEnvelopeService } from '@credo-ts/didcomm'
import { type Answer, post } from './post.ts'
import type { Wallet } from './wallet.ts'

type Ed25519Key = Kms.PublicJwk<Kms.Ed25519PublicJwk>

/** A message's endpoint, and the keys that it is packed with. */
export interface Route {
  endpoint: string
  recipientKeys: Ed25519Key[]
  /** Absent: anoncrypt. */
  senderKey?: Ed25519Key
}

export interface RawAnswer extends Answer {
  /** The message that came back by return route. */
  message?: Record<string, unknown>
}

/** Header of an Aries envelope (RFC 0019). */
export interface EnvelopeHeader {
  enc: string
  typ: string
  alg: string
  recipients: { encrypted_key: string; header: { kid: string; iv?: string; sender?: string } }[]
}

export class RawMessages {
  readonly #wallet: Wallet

  constructor(wallet: Wallet) {
    this.#wallet = wallet
  }

  /** The route of a connection: its keys and the agent's endpoint. */
  async route(connectionId: string): Promise<Route> {
    const { agent } = this.#wallet
    const { did, theirDid } = await agent.didcomm.connections.getById(connectionId)
    if (!did || !theirDid) throw new Error('the connection has no DIDs yet')
    const { didDocument, keys } = await agent.dids.resolveCreatedDidDocumentWithKeys(did)
    const methods = (didDocument.authentication ?? []).map((method) =>
      typeof method === 'string' ? didDocument.dereferenceVerificationMethod(method) : method,
    )
    const [senderKey] = methods.flatMap((method) => {
      const key = getPublicJwkFromVerificationMethod(method)
      const held = keys?.find(({ didDocumentRelativeKeyId }) => method.id.endsWith(didDocumentRelativeKeyId))
      if (held === undefined || !key.is(Kms.Ed25519PublicJwk)) return []
      key.keyId = held.kmsKeyId
      return [key]
    })
    if (senderKey === undefined) throw new Error('the wallet has no key of this connection')
    return { ...(await this.routeToDid(theirDid)), senderKey }
  }

  /** The route to a DID, without a sender: what an invitation tells an unknown sender. */
  async routeToDid(did: string): Promise<Route> {
    const services = this.#wallet.agent.dependencyManager.resolve(DidCommDocumentService)
    const [service] = await services.resolveServicesFromDid(this.#wallet.agent.context, did)
    if (service === undefined) throw new Error('the DID names no service')
    return { endpoint: service.serviceEndpoint, recipientKeys: service.recipientKeys }
  }

  /** A key of the wallet that belongs to no DID and no connection. */
  async newKey(): Promise<Ed25519Key> {
    const { keyId, publicJwk } = await this.#wallet.agent.kms.createKey({ type: { kty: 'OKP', crv: 'Ed25519' } })
    const key = Kms.PublicJwk.fromPublicJwk(publicJwk)
    key.keyId = keyId
    return key
  }

  pack(json: unknown, { recipientKeys, senderKey }: Omit<Route, 'endpoint'>): Promise<DidCommEncryptedMessage> {
    const envelopes = this.#wallet.agent.dependencyManager.resolve(DidCommEnvelopeService)
    // Credo's own packing reads the message, which here may be anything.
    // biome-ignore lint/complexity/useLiteralKeys: TypeScript allows a private member only so.
    return envelopes['encryptDidcommV1Message'](this.#wallet.agent.context, Object(json), recipientKeys, senderKey)
  }

  /** Packs a message and posts it; decrypts the reply, and hands nothing of it to the wallet. */
  async send(message: unknown, route: Route): Promise<RawAnswer> {
    return this.postEnvelope(await this.pack(message, route), route.endpoint)
  }

  /** The same on a connection of the wallet. */
  async sendOn(connectionId: string, message: unknown): Promise<RawAnswer> {
    return this.send(message, await this.route(connectionId))
  }

  async postEnvelope(envelope: DidCommEncryptedMessage, endpoint: string): Promise<RawAnswer> {
    const answer = await post(endpoint, envelope, new AbortController().signal)
    if (answer.status !== 200 || answer.body === '') return answer
    const envelopes = this.#wallet.agent.dependencyManager.resolve(DidCommEnvelopeService)
    const { plaintextMessage } = await envelopes.unpackMessage(this.#wallet.agent.context, JSON.parse(answer.body))
    return { ...answer, message: plaintextMessage }
  }
}

/** The header of an envelope, to be altered. */
export const headerOf = (envelope: DidCommEncryptedMessage): EnvelopeHeader =>
  JsonEncoder.fromBase64(envelope.protected)

/** The envelope with another header; the message cannot be decrypted unless the header is the same. */
export const withHeader = (envelope: DidCommEncryptedMessage, header: unknown): DidCommEncryptedMessage => ({
  ...envelope,
  protected: JsonEncoder.toBase64URL(header),
})
