/** Envelopes that this agent packs: decrypted only by their recipients, directly or behind mediators. */
import { generateKeyPairSync } from 'node:crypto'
import { AgentContext, ConsoleLogger, DependencyManager, InjectionSymbols, Kms, LogLevel } from '@credo-ts/core'
import { DidCommBasicMessage, DidCommDocumentService, ReturnRouteTypes } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { readEnvelope, readHeader } from '../../../../lib/agent/envelopes/envelope.ts'
import { AgentEnvelopeService } from '../../../../lib/agent/envelopes/envelope-service.ts'
import { packEnvelope, UnusableKeysError } from '../../../../lib/agent/envelopes/pack-envelope.ts'
import { decryptEnvelope } from '../../../../lib/agent/envelopes/unpack-envelope.ts'
import { keyOfVerkey, verkeyOf } from '../../../../lib/agent/keys/ed25519-key.ts'

/** A wallet, or this agent: an Ed25519 key, known by its verkey. */
const newParty = () => {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const jwk = { kty: 'OKP', crv: 'Ed25519', x, d } as const
  const key = Kms.PublicJwk.fromPublicJwk({ kty: 'OKP', crv: 'Ed25519', x })
  if (!key.is(Kms.Ed25519PublicJwk)) throw new Error('not an Ed25519 key')
  const verkey = verkeyOf(key)
  return { jwk, key: keyOfVerkey(verkey), verkey }
}
type Party = ReturnType<typeof newParty>

/** Opens an envelope as its recipient does, after the checks that every envelope must pass. */
const open = (body: unknown, { verkey, jwk }: Party) => {
  const envelope = readEnvelope(body)
  const mine = readHeader(envelope).recipients.find(({ header }) => header.kid === verkey)
  if (mine === undefined) throw new Error('the envelope is for another recipient')
  const { message, senderKey } = decryptEnvelope(envelope, mine, jwk)
  return { message, sender: senderKey && verkeyOf(senderKey) }
}

const message = { '@type': 'https://didcomm.org/basicmessage/1.0/message', content: 'Grüße 🙂' }
const [alice, bob, carol, eve] = [newParty(), newParty(), newParty(), newParty()]

describe('an envelope', () => {
  test('should be decrypted by each recipient, and name its sender', () => {
    const envelope = packEnvelope(message, [bob.key, carol.key], alice)
    for (const party of [bob, carol]) expect(open(envelope, party)).toEqual({ message, sender: alice.verkey })
  })

  test('should have no sender if it is anonymous', () => {
    const envelope = packEnvelope(message, [bob.key])
    expect(open(envelope, bob)).toEqual({ message, sender: undefined })
    expect(readHeader(envelope).recipients[0]?.header).toEqual({ kid: bob.verkey })
  })

  test('should not be decrypted with another key', () => {
    const envelope = packEnvelope(message, [bob.key], alice)
    expect(() => open(envelope, { ...eve, verkey: bob.verkey })).toThrow()
  })

  test('should have the header of Aries RFC 0019', () => {
    const headerOf = (sender?: Party) => JSON.parse(atob(packEnvelope(message, [bob.key], sender).protected))
    const common = { enc: 'xchacha20poly1305_ietf', typ: 'JWM/1.0' }
    expect(headerOf(alice)).toEqual({ ...common, alg: 'Authcrypt', recipients: [expect.anything()] })
    expect(headerOf()).toEqual({ ...common, alg: 'Anoncrypt', recipients: [expect.anything()] })
  })

  test('should share no part with another envelope of the same message, even with cached keys', () => {
    const parts = [1, 2, 3].flatMap(() => {
      const envelope = packEnvelope(message, [bob.key], alice)
      const [recipient] = readHeader(envelope).recipients
      const { iv, sender } = recipient?.header ?? {}
      return [envelope.iv, envelope.tag, envelope.ciphertext, recipient?.encrypted_key, iv, sender]
    })
    expect(new Set(parts).size).toBe(3 * 6)
  })
})

const service = (held: Party) => {
  const services = new DependencyManager()
  services.registerInstance(InjectionSymbols.Logger, new ConsoleLogger(LogLevel.off))
  services.registerInstance(DidCommDocumentService, {} as DidCommDocumentService)
  const context = new AgentContext({ contextCorrelationId: 'acme', dependencyManager: services })
  const envelopes = new AgentEnvelopeService(services, {
    get: async (_, keyId) => (keyId === held.verkey ? held.jwk : null),
    first: async () => null,
  })
  return (
    keys: Omit<Parameters<AgentEnvelopeService['packMessage']>[2], 'senderKey'>,
    sender: Party,
    packed = new DidCommBasicMessage({ content: 'hello' }),
  ) => {
    const senderKey = keyOfVerkey(sender.verkey)
    senderKey.keyId = sender.verkey
    return envelopes.packMessage(context, packed, { ...keys, senderKey })
  }
}

describe('a message', () => {
  test('should be wrapped for each mediator on its way, the last one outermost', async () => {
    const [near, far] = [newParty(), newParty()]
    const keys = { recipientKeys: [bob.key], routingKeys: [near.key, far.key] }
    const outer = open(await service(alice)(keys, alice), far)
    const forward = { '@type': 'https://didcomm.org/routing/1.0/forward', '@id': expect.any(String) }
    expect(outer).toEqual({ message: { ...forward, to: near.verkey, msg: expect.anything() }, sender: undefined })
    const inner = open((outer.message as { msg: unknown }).msg, near)
    expect(inner).toEqual({ message: { ...forward, to: bob.verkey, msg: expect.anything() }, sender: undefined })
    const { message: opened, sender } = open((inner.message as { msg: unknown }).msg, bob)
    expect(opened).toMatchObject({ content: 'hello' })
    expect(sender).toBe(alice.verkey)
  })

  test('should request no return route, because no code handles a response', async () => {
    const asking = new DidCommBasicMessage({ content: 'hello' })
    asking.setReturnRouting(ReturnRouteTypes.all)
    const packed = await service(alice)({ recipientKeys: [bob.key], routingKeys: [] }, alice, asking)
    expect(open(packed, bob).message).not.toHaveProperty('~transport')
  })

  test('should be packed for sixteen recipients, and no more', async () => {
    const pack = service(alice)
    const keysOf = (count: number) => ({
      recipientKeys: Array.from({ length: count }, () => newParty().key),
      routingKeys: [],
    })
    expect(readHeader(await pack(keysOf(16), alice)).recipients).toHaveLength(16)
    await expect(pack(keysOf(17), alice)).rejects.toThrow('too many keys')
  })

  test('should be packed for a recipient behind eight mediators, and no more', async () => {
    const keysOf = (count: number) => ({
      recipientKeys: [bob.key],
      routingKeys: Array.from({ length: count }, () => newParty().key),
    })
    const pack = service(alice)
    expect(readHeader(await pack(keysOf(8), alice)).recipients).toHaveLength(1)
    await expect(pack(keysOf(9), alice)).rejects.toThrow('too many mediators')
  })

  test('should not be packed without a recipient, with or without a mediator', async () => {
    for (const routingKeys of [[], [newParty().key]])
      await expect(service(alice)({ recipientKeys: [], routingKeys }, alice)).rejects.toThrow(UnusableKeysError)
  })

  test('should not be packed as a sender whose key the agent does not have', async () => {
    const keys = { recipientKeys: [bob.key], routingKeys: [] }
    await expect(service(alice)(keys, eve)).rejects.toThrow(Kms.KeyManagementKeyNotFoundError)
  })
})
