/** Credo's envelope service with our own opening of envelopes, which makes strangers' envelopes cheap. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommEncryptedMessage, DidCommEnvelopeService } from '@credo-ts/didcomm'
import { readHeader } from './envelope.ts'
import { keyOfVerkey } from './keys/ed25519-key.ts'
import { openEnvelope } from './open-envelope.ts'
import { PackingService } from './pack-envelope.ts'
import { assertReadable } from './readable-message.ts'

type Unpacked = Awaited<ReturnType<DidCommEnvelopeService['unpackMessage']>>

/** An envelope that cannot be opened, or holds no message: it was not handled before either. */
export class UnreadableEnvelopeError extends CredoError {}

export class EnvelopeService extends PackingService {
  /**
   * Credo looks in DIDs, invitations and mediations for each recipient; here a key's id is what envelopes call it. Throws
   * `UnreadableEnvelopeError`, and what the store throws.
   */
  override async unpackMessage(agentContext: AgentContext, envelope: DidCommEncryptedMessage): Promise<Unpacked> {
    const { recipients } = readHeader(envelope)
    const kids = recipients.map(({ header }) => header.kid)
    const found = await this.keys.first(agentContext, kids)
    try {
      const recipient = recipients.find(({ header }) => header.kid === found?.keyId)
      if (found === null || recipient === undefined) throw new CredoError('no recipient is of this agent')
      const { message, senderKey } = openEnvelope(envelope, recipient, found.jwk)
      assertReadable(message)
      const recipientKey = keyOfVerkey(found.keyId)
      recipientKey.keyId = found.keyId
      return { plaintextMessage: message, recipientKey, ...(senderKey && { senderKey }) }
    } catch (error) {
      throw new UnreadableEnvelopeError(
        'the envelope can not be opened',
        error instanceof Error ? { cause: error } : {},
      )
    }
  }
}
