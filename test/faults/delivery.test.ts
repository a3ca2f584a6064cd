/** Messages to wallets over the real queues and functions: in order, never lost, duplicated only where that cannot be avoided. */
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type OutboxItem, outboxItem, outcomeItem } from '../../lib/outbox/messages/message-item.ts'
import { newOutboxId } from '../../lib/outbox/messages/outbox-id.ts'
import { messageLane } from '../../lib/outbox/wake-ups/keys.ts'
import { fromRecordItem, toRecordItem } from '../../lib/store/stored-record.ts'
import { failuresOf, type InjectedFailure, startPipeline } from '../support/delivery/pipeline.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'

let wallet: FaultyReceiver
let count = 0
let messages = 0
const lines: string[] = []

vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
// The queues are in this process: delays, leases and visibility timeouts all go by this clock.
vi.useFakeTimers({ toFake: ['Date'] })
const pipeline = await stopAtEnd(startPipeline())

afterAll(async () => {
  vi.useRealTimers()
})

beforeEach(async () => {
  wallet = await startFaultyReceiver()
  count += 1
  pipeline.plan()
})

afterEach(async () => {
  pipeline.plan()
  await wallet.stop()
})

const payload = (text: string) => JSON.stringify({ protected: 'secret-envelope', ciphertext: text })

/** An item for a connection of this test's tenant, as the unit of work writes it. */
const itemFor = (connectionId: string, texts: string[], changes: Partial<OutboxItem> = {}) => ({
  tenant: `tenant${count}`,
  connectionId,
  id: newOutboxId(),
  messages: texts.map((text) => ({ endpoint: `${wallet.url}/${connectionId}`, payload: payload(text) })),
  taken: 0,
  attempts: 0,
  createdAt: new Date().toISOString(),
  basicMessages: [{ id: `message${++messages}`, createdAt: new Date().toISOString() }],
  ...changes,
})

/** The record of an item's basic message. */
const basicMessageOf = ({ tenant, connectionId, basicMessages: [message] = [] }: OutboxItem) => {
  const { id = '', createdAt = '' } = message ?? {}
  const value = { id, createdAt, connectionId, role: 'sender', content: 'hello', metadata: {} }
  return toRecordItem({ tenant, type: 'BasicMessageRecord', id, version: 1, value, tags: { connectionId } })
}

const putItem = async (item: OutboxItem, changes: ReturnType<typeof outboxItem.encode> = {}) => {
  await pipeline.put(basicMessageOf(item))
  await pipeline.put({ ...outboxItem.encode(item), ...changes })
}

const commit = async (connectionId: string, ...texts: string[]): Promise<OutboxItem> => {
  const item = itemFor(connectionId, texts)
  await putItem(item)
  return item
}

/** Messages that a connection's wallet has accepted, in the order of arrival. */
const taken = (connectionId: string): string[] =>
  wallet.received
    .filter(({ path, status = 0 }) => path === `/${connectionId}` && status >= 200 && status < 300)
    .map(({ body }) => JSON.parse(body).ciphertext)

/** The delivery status that an item's basic message shows. */
const stateOf = async (item: OutboxItem) => {
  const message = await pipeline.read(basicMessageOf(item))
  if (message === undefined) throw new Error('the basic message is gone')
  const { state = 'pending', attempts, lastError } = fromRecordItem(message).delivery ?? {}
  return { state, attempts, lastError }
}

describe('a message', () => {
  test('should arrive as the envelope that was packed, once, and be kept nowhere once it is delivered', async () => {
    const item = await commit('c1', 'hello')
    await pipeline.settle()
    expect(wallet.received).toMatchObject([
      { path: '/c1', body: payload('hello'), headers: { 'content-type': 'application/didcomm-envelope-enc' } },
    ])
    expect(await stateOf(item)).toEqual({ state: 'delivered', attempts: 1, lastError: undefined })
    expect(await pipeline.read(outboxItem.encode(item))).toBeUndefined()
    const outcome = outcomeItem.encode({ ...item, endedAt: item.createdAt, expiresAt: 0 })
    expect(await pipeline.read(outcome)).toBeUndefined()
  })

  test('should reach a wallet that was down and came up again, in order', async () => {
    const { port } = wallet
    await wallet.stop()
    const first = await commit('c1', 'a', 'b')
    await commit('c1', 'c')
    let looks = 0
    await pipeline.settle(async () => ++looks > 20)
    expect(await stateOf(first)).toMatchObject({ state: 'pending', lastError: 'connect: ECONNREFUSED' })
    wallet = await startFaultyReceiver(undefined, port)
    await pipeline.settle(async () => taken('c1').length === 3)
    expect(taken('c1')).toEqual(['a', 'b', 'c'])
    expect(await stateOf(first)).toMatchObject({ state: 'delivered' })
  })

  test('should arrive when the stream stops, because the function that commits it wakes its lane', async () => {
    const item = await commit('c1', 'a')
    const { wakeNow } = await import('../../lib/outbox/wake-ups/queues.ts')
    await wakeNow({ lane: messageLane(item.tenant, item.connectionId), itemId: item.id })
    await pipeline.deliver()
    expect(taken('c1')).toEqual(['a'])
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a'])
  })
})

describe('a failure', () => {
  /** Two connections, an item of two messages, and a wallet that is not ready at first. */
  const scenario = async (mishap?: InjectedFailure): Promise<OutboxItem[]> => {
    wallet.behave({ status: 503 }, { status: 200 })
    const items = [
      await commit('c1', 'a'),
      await commit('c1', 'b', 'c'),
      await commit('c2', 'x'),
      await commit('c1', 'd'),
    ]
    pipeline.plan(mishap)
    await pipeline.settle(async () =>
      (await Promise.all(items.map(stateOf))).every(({ state }) => state === 'delivered'),
    )
    return items
  }

  test('at every single call loses nothing and keeps the order; only a delivery that is not recorded is duplicated', async () => {
    // The first one makes the wallet known as quick; the others then make the same calls as the second.
    await scenario()
    count += 1
    wallet.received.length = 0
    await scenario()
    const names = pipeline.calls.map(({ name }) => name)
    expect(names).toContain('SendMessageBatchCommand')
    expect(names).toContain('TransactWriteItemsCommand')
    for (const mishap of failuresOf(names)) {
      count += 1
      wallet.received.length = 0
      const items = await scenario(mishap)
      const all = [...taken('c1'), ...taken('c2')]
      const inOrder = { mishap, c1: [...new Set(taken('c1'))], c2: [...new Set(taken('c2'))] }
      expect(inOrder).toEqual({ mishap, c1: ['a', 'b', 'c', 'd'], c2: ['x'] })
      expect({ mishap, doubled: all.length - new Set(all).size }).toEqual({
        mishap,
        doubled: expect.toSatisfy((n) => n <= 1),
      })
      for (const item of items) expect(await stateOf(item)).toMatchObject({ state: 'delivered' })
      expect(pipeline.dead()).toBe(0)
    }
  })

  test('at every call of the first attempt at an unknown wallet loses nothing either', async () => {
    const first = async (mishap?: InjectedFailure) => {
      await wallet.stop()
      wallet = await startFaultyReceiver()
      count += 1
      const item = await commit('c1', 'a')
      pipeline.plan(mishap)
      await pipeline.settle(async () => (await stateOf(item)).state === 'delivered')
      return [...new Set(taken('c1'))]
    }
    expect(await first()).toEqual(['a'])
    const names = pipeline.calls.map(({ name }) => name)
    for (const mishap of failuresOf(names))
      expect({ mishap, taken: await first(mishap) }).toEqual({ mishap, taken: ['a'] })
    expect(pipeline.dead()).toBe(0)
  })
})

test('no line of the log holds anything of an envelope', () => {
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => line.includes('secret-envelope') || line.includes('ciphertext'))).toEqual([])
})
