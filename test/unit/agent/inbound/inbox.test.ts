/** The marks of handled messages: a sender's message is no repetition of another sender's with the same id. */
import { AgentContext, DependencyManager, Kms } from '@credo-ts/core'
import { DidCommInboundMessageContext, DidCommTrustPingMessage } from '@credo-ts/didcomm'
import { beforeEach, expect, test, vi } from 'vitest'
import { handleOnce, markMessage } from '../../../../lib/agent/inbound/inbox.ts'
import { generateJwk } from '../../../../lib/agent/keys/key-pair.ts'
import { useTable } from '../../store/use-table.ts'

await useTable()

const keyPair = () => {
  const key = Kms.PublicJwk.fromUnknown(Kms.publicJwkFromPrivateJwk(generateJwk({ kty: 'OKP', crv: 'Ed25519' })))
  if (!key.is(Kms.Ed25519PublicJwk)) throw new TypeError('not an Ed25519 key')
  return key
}
const agentContext = new AgentContext({ contextCorrelationId: 'acme', dependencyManager: new DependencyManager() })
const [recipientKey, alice, bob] = [keyPair(), keyPair(), keyPair()]

let envelopes = 0
const handler = vi.fn<() => Promise<void>>(async () => undefined)
beforeEach(() => {
  handler.mockClear()
})

/** Receives a ping in an envelope of its own, which is answered by `answer`. */
const receive = (senderKey: typeof alice | undefined, id: string, answer: string): Promise<string> => {
  envelopes += 1
  const encryptedMessage = { protected: '', iv: '', tag: '', ciphertext: `envelope ${envelopes}` }
  return handleOnce('acme', encryptedMessage, async () => {
    const context = { agentContext, recipientKey, ...(senderKey && { senderKey }), encryptedMessage }
    const inbound = new DidCommInboundMessageContext(new DidCommTrustPingMessage({ id }), context)
    await markMessage(inbound, handler)
    return answer
  })
}

test('a message in a new envelope gets its first answer', async () => {
  expect(await receive(alice, 'repeated', 'first')).toBe('first')
  expect(await receive(alice, 'repeated', 'second')).toBe('first')
})

test.each([
  ['another sender', bob],
  ['nobody that is known', undefined],
])('a message of %s with the same id is another one', async (whose, sender) => {
  expect(await receive(alice, `same ${whose}`, 'to Alice')).toBe('to Alice')
  expect(await receive(sender, `same ${whose}`, 'to the other')).toBe('to the other')
  expect(handler).toHaveBeenCalledTimes(2)
})
