/** Unpacks envelopes (Aries RFC 0019, "Unpack"), in place of Credo's implementation. */
import { type AgentContext, CredoError, type Kms } from '@credo-ts/core'
import type { DidCommEncryptedMessage, DidCommEnvelopeService } from '@credo-ts/didcomm'
import { parseJson } from '../../json.ts'
import { agreementKeyOf, decryptByAgreement, decryptContent, keyOfVerkey, type SealedKeyStore } from '../keys/index.ts'
import { type Envelope, type EnvelopeHeader, readHeader } from './envelope.ts'
import { assertReadable } from './readable-message.ts'

type Recipient = EnvelopeHeader['recipients'][number]

/** Decrypts an envelope with a recipient's private key. Throws if the key or any part of the envelope is wrong. */
export const decryptEnvelope = (envelope: Envelope, recipient: Recipient, key: Kms.KmsJwkPrivate) => {
  const { sender, iv } = recipient.header
  const isNamed = typeof sender === 'string' && typeof iv === 'string'
  const senderKey = isNamed ? keyOfVerkey(text(decryptByAgreement(key, bytes(sender)))) : undefined
  const from = senderKey && isNamed ? { sender: agreementKeyOf(senderKey), nonce: bytes(iv) } : undefined
  const contentKey = decryptByAgreement(key, bytes(recipient.encrypted_key), from)
  const parts = { encrypted: bytes(envelope.ciphertext), iv: bytes(envelope.iv), tag: bytes(envelope.tag) }
  const content = decryptContent(contentKey, parts, Buffer.from(envelope.protected))
  const message = parseJson(text(content))
  if (message === undefined) throw new CredoError('the message is not JSON')
  return { message, senderKey }
}

const bytes = (base64url: string): Uint8Array => Buffer.from(base64url, 'base64url')

/** Throws for invalid UTF-8. */
const text = (content: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(content)

type Unpacked = Awaited<ReturnType<DidCommEnvelopeService['unpackMessage']>>

/**
 * Decrypts an envelope with the agent's key that it names: a key's id is its name in envelopes
 * (docs/adr/0010-a-key-has-the-id-that-envelopes-name-it-by.md). Credo searches DIDs, invitations and mediations for
 * each recipient. Throws a CredoError if the envelope cannot be decrypted or has no message, and errors of the store.
 */
export const unpackMessage = async (
  agentContext: AgentContext,
  envelope: DidCommEncryptedMessage,
  keys: Pick<SealedKeyStore, 'first'>,
): Promise<Unpacked> => {
  const { recipients } = readHeader(envelope)
  const kids = recipients.map(({ header }) => header.kid)
  const key = await keys.first(agentContext, kids)
  try {
    const recipient = recipients.find(({ header }) => header.kid === key?.keyId)
    if (key === null || recipient === undefined) throw new CredoError('this agent is not a recipient')
    const { message, senderKey } = decryptEnvelope(envelope, recipient, key.jwk)
    assertReadable(message)
    const recipientKey = keyOfVerkey(key.keyId)
    recipientKey.keyId = key.keyId
    return { plaintextMessage: message, recipientKey, ...(senderKey && { senderKey }) }
  } catch (error) {
    throw new CredoError('the envelope cannot be decrypted', error instanceof Error ? { cause: error } : {})
  }
}
