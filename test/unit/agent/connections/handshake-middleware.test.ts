/** What completes a handshake before the handlers of messages. */
import { randomUUID } from 'node:crypto'
import { DidCommDidExchangeCompleteMessage, DidCommDidExchangeState } from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import { acceptRepeatedComplete, completeByMessage } from '../../../../lib/agent/connections/handshake-middleware.ts'
import { transaction } from '../../../../lib/store/transaction.ts'

const CURRENT = { did: 'did:peer:2.theirs', getTags: () => ({}) }

/** Whether a message of this type completes a connection. `sender`: the DID of its key. */
const completes = async (type: string, { state = DidCommDidExchangeState.ResponseSent, sender = CURRENT } = {}) => {
  const updateState = vi.fn(async () => {})
  const services = { updateState, findByQuery: async () => [sender] }
  const connection = { state, theirDid: CURRENT.did, metadata: new Map() }
  const next = vi.fn(async () => {})
  const agentContext = { contextCorrelationId: 'acme', resolve: () => services }
  const senderKey = { fingerprint: randomUUID() }
  await transaction('acme', () =>
    completeByMessage(Object({ agentContext, connection, senderKey, message: { type } }), next),
  )
  expect(next).toHaveBeenCalledOnce()
  return updateState.mock.calls.length > 0
}

test('any message of the other agent’s current DID that is neither of a handshake nor a problem report', async () => {
  const ping = 'https://didcomm.org/trust_ping/1.0/ping'
  expect(await completes(ping)).toBe(true)
  expect(await completes(ping, { sender: { ...CURRENT, did: 'did:peer:2.former' } })).toBe(false)
  expect(await completes(ping, { state: DidCommDidExchangeState.RequestReceived })).toBe(false)
  for (const type of ['connections/1.0/ack', 'didexchange/1.1/complete', 'did-rotate/1.0/rotate'])
    expect(await completes(`https://didcomm.org/${type}`)).toBe(false)
  expect(await completes('https://didcomm.org/report-problem/1.0/problem-report')).toBe(false)
})

test('a `complete` that is repeated is not handled again; that of another handshake, or the first, is', async () => {
  const message = new DidCommDidExchangeCompleteMessage({ threadId: 't', parentThreadId: 'p' })
  const handles = async (threadId: string, state = DidCommDidExchangeState.Completed) => {
    const next = vi.fn(async () => {})
    await acceptRepeatedComplete(Object({ connection: { state, threadId }, message }), next)
    return next.mock.calls.length > 0
  }
  expect(await handles('t')).toBe(false)
  expect(await handles('another')).toBe(true)
  expect(await handles('t', DidCommDidExchangeState.ResponseSent)).toBe(true)
})
