/** Credo's envelope service: packs without validating by schemas, and opens in a way that makes strangers' envelopes cheap. */
import { type AgentContext, CredoError, type DependencyManager, InjectionSymbols, Kms } from '@credo-ts/core'
import {
  DidCommDocumentService,
  type DidCommEncryptedMessage,
  DidCommEnvelopeService,
  DidCommForwardMessage,
  DidCommModuleConfig,
} from '@credo-ts/didcomm'
import { readHeader } from './envelope.ts'
import { type Ed25519Key, keyOfVerkey, verkeyOf } from './keys/ed25519-key.ts'
import type { SealedKeyStore } from './keys/sealed-key-store.ts'
import { openEnvelope } from './open-envelope.ts'
import { packEnvelope, type Sender } from './pack-envelope.ts'
import { assertReadable } from './readable-message.ts'

type Unpacked = Awaited<ReturnType<DidCommEnvelopeService['unpackMessage']>>

type Keys = Pick<SealedKeyStore, 'first' | 'get'>
type Packing = Parameters<DidCommEnvelopeService['packMessage']>

/** An envelope that cannot be opened, or holds no message: it was not handled before either. */
export class UnreadableEnvelopeError extends CredoError {}

export class EnvelopeService extends DidCommEnvelopeService {
  readonly #keys: Keys

  constructor(services: Pick<DependencyManager, 'resolve'>, keys: Keys) {
    super(services.resolve(InjectionSymbols.Logger), services.resolve(DidCommDocumentService))
    this.#keys = keys
  }

  /** Packs a message, and wraps it for each mediator on the way (Aries RFC 0094). Throws for a sender's key that this agent does not have. */
  override async packMessage(...[agentContext, message, keys]: Packing): Promise<DidCommEncryptedMessage> {
    const { useDidSovPrefixWhereAllowed } = agentContext.resolve(DidCommModuleConfig)
    const { recipientKeys, routingKeys, senderKey } = keys
    const sender = senderKey === null ? undefined : await this.#sender(agentContext, senderKey)
    let envelope = packEnvelope(message.toJSON({ useDidSovPrefixWhereAllowed }), recipientKeys, sender)
    let [next] = recipientKeys
    for (const routingKey of routingKeys) {
      if (next === undefined) throw new CredoError('a message that is forwarded to nobody')
      const forward = new DidCommForwardMessage({ to: verkeyOf(next), message: envelope })
      envelope = packEnvelope(forward.toJSON({ useDidSovPrefixWhereAllowed }), [routingKey])
      next = routingKey
    }
    return envelope
  }

  async #sender(agentContext: AgentContext, key: Ed25519Key): Promise<Sender> {
    const jwk = await this.#keys.get(agentContext, key.keyId)
    if (jwk === null) throw new Kms.KeyManagementKeyNotFoundError(key.keyId, ['serverless-agent'])
    return { verkey: verkeyOf(key), jwk }
  }

  /**
   * Credo looks in DIDs, invitations and mediations for each recipient; here a key's id is what envelopes call it. Throws
   * `UnreadableEnvelopeError`, and what the store throws.
   */
  override async unpackMessage(agentContext: AgentContext, envelope: DidCommEncryptedMessage): Promise<Unpacked> {
    const { recipients } = readHeader(envelope)
    const kids = recipients.map(({ header }) => header.kid)
    const found = await this.#keys.first(agentContext, kids)
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
