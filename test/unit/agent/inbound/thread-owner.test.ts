/** Whom an exchange belongs to that came with an invitation and has no connection. */
import { expect, test } from 'vitest'
import { joinExchange } from '../../../../lib/agent/inbound/thread-owner.ts'

const received = { getTags: () => ({ recipientKeyFingerprints: ['the inviter’s key'] }) }
const agentContext = {
  resolve: () => ({
    findByQuery: async (_: unknown, { role }: { role: string }) => (role === 'receiver' ? [received] : []),
  }),
}

test.each([
  [true, 'to its inviter', 'the inviter’s key', undefined],
  [false, 'to nobody else', 'another key', undefined],
  // There it would begin a second exchange of the thread.
  [false, 'not even to its inviter on a connection', 'the inviter’s key', { id: 'c' }],
])('%s: it belongs %s', async (belongs, _, fingerprint, connection) => {
  const inbound = Object({ agentContext, connection, senderKey: { fingerprint }, message: {} })
  expect(await joinExchange(inbound, Object({ threadId: 't' }))).toBe(belongs)
})
