/** Packs messages into envelopes (Aries RFC 0019, "Pack") for their recipients and mediators. */

import { randomBytes } from 'node:crypto'
import { type AgentContext, CredoError, Kms } from '@credo-ts/core'
import {
  type DidCommEncryptedMessage,
  type DidCommEnvelopeService,
  DidCommForwardMessage,
  type DidCommMessage,
} from '@credo-ts/didcomm'
import { MAX_ROUTING_KEYS } from '../../records/did.ts'
import {
  agreementKeyOf,
  type Ed25519Key,
  encryptByAgreement,
  encryptContent,
  type SealedKeyStore,
  verkeyOf,
} from '../keys/index.ts'
import { MAX_KEYS } from './readable-message.ts'

const CONTENT_KEY_BYTES = 32

/** The other agent has too many keys, none, or one that is not valid for encryption. */
export class UnusableKeysError extends CredoError {}

/** The sender of an envelope: the name of the key, and the private key. */
export interface Sender {
  verkey: string
  jwk: Kms.KmsJwkPrivate
}

/** Packs JSON: authenticated with a sender ("Authcrypt"), anonymous without one ("Anoncrypt"). */
export const packEnvelope = (
  message: unknown,
  recipients: readonly Ed25519Key[],
  sender?: Sender,
): DidCommEncryptedMessage => {
  const contentKey = randomBytes(CONTENT_KEY_BYTES)
  const header = {
    // Wallets use this name for ChaCha20-Poly1305-IETF.
    enc: 'xchacha20poly1305_ietf',
    typ: 'JWM/1.0',
    alg: sender === undefined ? 'Anoncrypt' : 'Authcrypt',
    recipients: recipients.map((key) => recipientOf(key, contentKey, sender)),
  }
  const protectedHeader = text(Buffer.from(JSON.stringify(header)))
  const content = Buffer.from(JSON.stringify(message))
  const { encrypted, iv, tag } = encryptContent(contentKey, content, Buffer.from(protectedHeader))
  return { ciphertext: text(encrypted), iv: text(iv), tag: text(tag), protected: protectedHeader }
}

/** The header of a recipient: the content key in a box, and the sender, sealed. */
const recipientOf = (key: Ed25519Key, contentKey: Uint8Array, sender: Sender | undefined) => {
  try {
    return encryptForRecipient(key, contentKey, sender)
  } catch {
    throw new UnusableKeysError('a key of the other agent is not valid for encryption')
  }
}

const encryptForRecipient = (key: Ed25519Key, contentKey: Uint8Array, sender: Sender | undefined) => {
  const kid = verkeyOf(key)
  const agreementKey = agreementKeyOf(key)
  const { encrypted, iv } = encryptByAgreement(sender?.jwk, agreementKey, contentKey)
  if (sender === undefined) return { encrypted_key: text(encrypted), header: { kid } }
  const sealed = encryptByAgreement(undefined, agreementKey, Buffer.from(sender.verkey))
  return { encrypted_key: text(encrypted), header: { kid, iv: iv && text(iv), sender: text(sealed.encrypted) } }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** The keys that a message is packed with: the sender's, and those of the recipients and of their mediators. */
type Keys = Parameters<DidCommEnvelopeService['packMessage']>[2]

/**
 * Packs a message, and wraps it for each mediator (Aries RFC 0094), each of which adds a third to its size. Credo would
 * request a return route if there is no connection, but a message is sent after its transaction, when no code handles
 * a response, and this agent has an endpoint. Throws for an unknown sender key, and `UnusableKeysError`, also for no
 * recipient and for too many recipients or mediators.
 */
export const packMessage = async (
  agentContext: AgentContext,
  message: DidCommMessage,
  { recipientKeys, routingKeys, senderKey }: Keys,
  store: Pick<SealedKeyStore, 'get'>,
): Promise<DidCommEncryptedMessage> => {
  if (routingKeys.length > MAX_ROUTING_KEYS) throw new UnusableKeysError('the other agent has too many mediators')
  let [next] = recipientKeys
  if (next === undefined) throw new UnusableKeysError('the other agent has no key')
  if (recipientKeys.length > MAX_KEYS) throw new UnusableKeysError('the other agent has too many keys')
  const sender = senderKey === null ? undefined : await senderOf(agentContext, senderKey, store)
  const { '~transport': _, ...json } = message.toJSON()
  let envelope = packEnvelope(json, recipientKeys, sender)
  for (const routingKey of routingKeys) {
    const forward = new DidCommForwardMessage({ to: verkeyOf(next), message: envelope })
    envelope = packEnvelope(forward.toJSON(), [routingKey])
    next = routingKey
  }
  return envelope
}

const senderOf = async (
  agentContext: AgentContext,
  key: Ed25519Key,
  store: Pick<SealedKeyStore, 'get'>,
): Promise<Sender> => {
  const jwk = await store.get(agentContext, key.keyId)
  if (jwk === null) throw new Kms.KeyManagementKeyNotFoundError(key.keyId, ['serverless-agent'])
  return { verkey: verkeyOf(key), jwk }
}
