/** Envelopes made by hand, each part of them as wished: an unknown sender may send what no wallet does. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import { encryptContent } from '../../../lib/agent/keys/content-encryption.ts'
import { encryptSealedBox, type X25519PublicKey, x25519PublicKey } from '../../../lib/agent/keys/crypto-box.ts'
import type { EnvelopeHeader } from '../../wallet/raw-messages.ts'

export interface HandMade {
  /** Its recipient: an Ed25519 key in base58. */
  kid: string
  /** Bytes, a text, or a value for JSON.stringify; by default noise. */
  plaintext?: unknown
  /** The content in place of the sender's verkey; absent: anoncrypt. */
  sender?: string
  /** The key box of an authcrypt; noise unless given. */
  boxed?: (contentKey: Uint8Array, nonce: Uint8Array) => Uint8Array
  /** Alters the header before it is authenticated. */
  header?: (header: EnvelopeHeader) => unknown
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** An Ed25519 key that no agent has, in base58. */
export const unknownKid = (): string =>
  TypedArrayEncoder.toBase58(
    generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  )

/** The X25519 form of a verkey. */
const x25519Of = (kid: string): X25519PublicKey => {
  const publicKey = TypedArrayEncoder.fromBase58(kid)
  const key = Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey })
  return x25519PublicKey(key.convertTo(Kms.X25519PublicJwk).publicKey.publicKey)
}

const contentOf = (plaintext: unknown): Uint8Array => {
  if (plaintext === undefined) return randomBytes(64)
  if (plaintext instanceof Uint8Array) return plaintext
  return Buffer.from(typeof plaintext === 'string' ? plaintext : JSON.stringify(plaintext))
}

/** An envelope; without alterations a valid one. */
export const handMade = ({ kid, plaintext, sender, boxed, header: alter = (header) => header }: HandMade) => {
  const contentKey = randomBytes(32)
  const nonce = randomBytes(24)
  const recipientKey = x25519Of(kid)
  const recipient =
    sender === undefined
      ? { encrypted_key: text(encryptSealedBox(contentKey, recipientKey)), header: { kid } }
      : {
          encrypted_key: text(boxed?.(contentKey, nonce) ?? randomBytes(48)),
          header: { kid, sender: text(encryptSealedBox(Buffer.from(sender), recipientKey)), iv: text(nonce) },
        }
  const alg = sender === undefined ? 'Anoncrypt' : 'Authcrypt'
  const header = alter({ enc: 'xchacha20poly1305_ietf', typ: 'JWM/1.0', alg, recipients: [recipient] })
  const protectedText = text(Buffer.from(JSON.stringify(header)))
  const { encrypted, iv, tag } = encryptContent(contentKey, contentOf(plaintext), Buffer.from(protectedText))
  return { protected: protectedText, iv: text(iv), ciphertext: text(encrypted), tag: text(tag) }
}
