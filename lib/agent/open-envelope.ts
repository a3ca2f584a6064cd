/** Decryption of one envelope (Aries RFC 0019, "Unpack") with the key that was found for it. */
import { CredoError, type Kms, TypedArrayEncoder } from '@credo-ts/core'
import type { Envelope, EnvelopeHeader } from './envelope.ts'
import { decryptContent } from './keys/content-encryption.ts'
import { type Ed25519Key, keyOfVerkey } from './keys/ed25519-key.ts'
import { agreementKeyOf, decryptByAgreement } from './keys/key-agreement.ts'

type Recipient = EnvelopeHeader['recipients'][number]

export interface OpenedEnvelope {
  /** JSON of whatever kind. */
  message: unknown
  /** Who sent it, proven; absent with `Anoncrypt`. */
  senderKey: Ed25519Key | undefined
}

/** Opens an envelope as one of its recipients. Throws where the key, or any part of the envelope, does not fit. */
export const openEnvelope = (envelope: Envelope, recipient: Recipient, key: Kms.KmsJwkPrivate): OpenedEnvelope => {
  const { sender, iv } = recipient.header
  const senderKey =
    typeof sender === 'string'
      ? keyOfVerkey(text(decryptByAgreement(key, undefined, bytes(sender), undefined)))
      : undefined
  const contentKey = decryptByAgreement(
    key,
    senderKey && agreementKeyOf(senderKey),
    bytes(recipient.encrypted_key),
    typeof iv === 'string' ? bytes(iv) : undefined,
  )
  const content = decryptContent(
    'C20P',
    { kty: 'oct', k: TypedArrayEncoder.toBase64URL(contentKey) },
    {
      encrypted: bytes(envelope.ciphertext),
      iv: bytes(envelope.iv),
      tag: bytes(envelope.tag),
      aad: Buffer.from(envelope.protected),
    },
  )
  return { message: parse(text(content)), senderKey }
}

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    // Its message quotes the text, and what is thrown here is logged.
    throw new CredoError('the message is no JSON')
  }
}

const bytes = (base64url: string): Uint8Array => Buffer.from(base64url, 'base64url')

/** Throws for what is no UTF-8. */
const text = (content: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(content)
