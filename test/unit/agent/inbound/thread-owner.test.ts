/** Whom the thread of an invitation belongs to, and whom an exchange: one that came with an invitation, and one of a connection. */
import { expect, test } from 'vitest'
import { isThirdPartyThread, joinExchange } from '../../../../lib/agent/inbound/thread-owner.ts'

const received = { getTags: () => ({ recipientKeyFingerprints: ['the inviter’s key'] }) }
const agentContext = {
  resolve: () => ({
    findByQuery: async (_: unknown, { role }: { role: string }) => (role === 'receiver' ? [received] : []),
  }),
}

test.each([
  [true, 'to its inviter', 'the inviter’s key', undefined],
  [false, 'to no other agent', 'another key', undefined],
  // There it would begin a second exchange of the thread.
  [false, 'not even to its inviter on a connection', 'the inviter’s key', { id: 'c' }],
])('%s: it belongs %s', async (belongs, _, fingerprint, connection) => {
  const inbound = Object({ agentContext, connection, senderKey: { fingerprint }, message: {} })
  expect(await joinExchange(inbound, Object({ threadId: 't' }))).toBe(belongs)
})

/** Of an agent that has sent an invitation. */
const sent = { getTags: () => ({ recipientKeyFingerprints: ['the key of the invitation'] }) }
const inviting = { resolve: () => ({ findByQuery: async () => [sent] }) }

test.each([
  ['belongs to a sender that writes to its key', 'the key of the invitation', false],
  ['does not belong to a sender that writes to another key', 'another key', true],
])('the thread of our invitation %s', async (_, fingerprint, isThirdParty) => {
  const inbound = Object({ agentContext: inviting, recipientKey: { fingerprint }, message: {} })
  expect(await isThirdPartyThread(inbound, 'invitation')).toBe(isThirdParty)
})

test.each([
  ['of no other thread', undefined, true],
  ['of the thread that began it', 'parent', true],
  ['of another agent’s', 'another', false],
])('a message to an exchange of its connection counts as a part %s: %s', async (_, parentThreadId, isTaken) => {
  const [connection, recipientKey] = [{ id: 'c', outOfBandId: 'o' }, { fingerprint: 'another key' }]
  const inbound = Object({ agentContext: inviting, connection, recipientKey, message: { thread: { parentThreadId } } })
  const exchange = Object({ threadId: 't', connectionId: 'c', parentThreadId: 'parent' })
  expect(await joinExchange(inbound, exchange)).toBe(isTaken)
})
