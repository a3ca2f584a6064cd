/** Messages to wallets over real parts: in order, never lost, doubled only where nothing else can be. */
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { messageLane } from '../../lib/outbox/keys.ts'
import { type OutboxItem, outboxItem, outcomeItem } from '../../lib/outbox/message-item.ts'
import { newOutboxId } from '../../lib/outbox/outbox-id.ts'
import { MESSAGE_PLAN } from '../../lib/outbox/retry-plan.ts'
import { encodeWakeUp } from '../../lib/outbox/wake-up.ts'
import { fromRecordItem, toRecordItem } from '../../lib/store/stored-record.ts'
import { type Mishap, mishaps, startPipeline } from '../support/delivery/pipeline.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { type Behaviour, type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'

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

/** What a connection's wallet has taken, in the order of its arrival. */
const taken = (connectionId: string): string[] =>
  wallet.received
    .filter(({ path, status = 0 }) => path === `/${connectionId}` && status >= 200 && status < 300)
    .map(({ body }) => JSON.parse(body).ciphertext)

/** What the basic message of an item shows of its delivery. */
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

  test('should arrive in order within its connection, 20 in a row with a wallet that fails now and then', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
    const moods: Behaviour[] = [{ status: 200 }, { status: 500 }, 'reset after the body was read', { status: 429 }]
    for (const text of texts) await commit('c1', text)
    wallet.behave({ status: 503 }, ...moods, ...moods, ...moods, { status: 200 })
    await pipeline.settle(async () => new Set(taken('c1')).size === 20)
    expect([...new Set(taken('c1'))]).toEqual(texts)
  })

  test('should not wait for the wallet of another connection', async () => {
    const down = await startFaultyReceiver()
    await down.stop()
    const endpoint = `${down.url}/down`
    await putItem(itemFor('down', [], { messages: [{ endpoint, payload: payload('a') }] }))
    await pipeline.dispatch()
    await pipeline.deliver()
    const other = await commit('up', 'b')
    await pipeline.dispatch()
    await pipeline.deliver()
    expect(await stateOf(other)).toMatchObject({ state: 'delivered', attempts: 1 })
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

  test('should not be sent again when a later one of its item failed', async () => {
    wallet.behave({ status: 200 }, { status: 500 }, { status: 500 }, { status: 200 })
    const item = await commit('c1', 'a', 'b', 'c')
    await pipeline.settle(async () => taken('c1').length === 3)
    expect(wallet.received.map(({ body }) => JSON.parse(body).ciphertext)).toEqual(['a', 'b', 'b', 'b', 'c'])
    expect(await stateOf(item)).toMatchObject({ state: 'delivered', attempts: 3 })
  })

  test('should be sent once when its lane is woken again and again', async () => {
    const item = await commit('c1', 'a')
    await pipeline.settle()
    const lane = messageLane(item.tenant, item.connectionId)
    for (const kind of ['committed', 'committed'] as const) pipeline.enqueue(encodeWakeUp({ lane, reason: { kind } }))
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a'])
  })

  test('should arrive when the stream stands still, for the function that commits it wakes its lane', async () => {
    const item = await commit('c1', 'a')
    const { wakeNow } = await import('../../lib/outbox/queues.ts')
    await wakeNow({ lane: messageLane(item.tenant, item.connectionId), itemId: item.id })
    await pipeline.deliver()
    expect(taken('c1')).toEqual(['a'])
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a'])
  })

  test('should arrive through the stream, once, when the function that commits it can not reach the queue', async () => {
    const { sqsOnce, wakeNow } = await import('../../lib/outbox/queues.ts')
    const send = vi.spyOn(sqsOnce(), 'send').mockRejectedValue(new Error('injected') as never)
    const item = await commit('c1', 'a')
    await wakeNow({ lane: messageLane(item.tenant, item.connectionId), itemId: item.id })
    expect(send).toHaveBeenCalledTimes(1)
    send.mockRestore()
    await pipeline.deliver()
    expect(taken('c1')).toEqual([])
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a'])
    expect(await stateOf(item)).toMatchObject({ state: 'delivered', attempts: 1 })
  })
})

describe('a wallet', () => {
  /** A message whose time is over in a minute and a half. */
  const commitOld = async (connectionId: string, text: string): Promise<OutboxItem> => {
    const createdAt = new Date(Date.now() - MESSAGE_PLAN.lifetime + 90_000).toISOString()
    const item = itemFor(connectionId, [text], { createdAt })
    await putItem(item)
    return item
  }

  test('should be given up when the time of the message is over, and the next message goes on', async () => {
    wallet.behave({ status: 500 })
    const lost = await commitOld('c1', 'a')
    const started = Date.now()
    await pipeline.settle(async () => (await stateOf(lost)).state === 'failed')
    expect(Date.now() - started).toBeGreaterThanOrEqual(90_000)
    expect(await stateOf(lost)).toMatchObject({ state: 'failed', lastError: 'status 500' })
    wallet.behave({ status: 200 })
    const next = await commit('c1', 'b')
    await pipeline.settle(async () => (await stateOf(next)).state === 'delivered')
    expect(taken('c1')).toEqual(['b'])
    expect([pipeline.queued(), pipeline.dead()]).toEqual([0, 0])
  })

  test('should be given up without another attempt when it has been down for all of that time', async () => {
    const { port } = wallet
    await wallet.stop()
    const lost = await commitOld('c1', 'a')
    await pipeline.settle(async () => (await stateOf(lost)).state === 'failed')
    wallet = await startFaultyReceiver(undefined, port)
    expect(await stateOf(lost)).toMatchObject({ state: 'failed', lastError: 'connect: ECONNREFUSED' })
    const next = await commit('c1', 'b')
    await pipeline.settle(async () => (await stateOf(next)).state === 'delivered')
    expect(taken('c1')).toEqual(['b'])
  })
})

describe('nothing is sent', () => {
  test('because of a queue message that is no wake-up', async () => {
    for (const body of ['no wake-up', '{}', encodeWakeUp({ destination: 'any', at: 1 })]) pipeline.enqueue(body)
    await pipeline.settle()
    expect(wallet.received).toEqual([])
  })

  test('of an item that cannot be read: it has failed, and the next one is sent', async () => {
    const item = itemFor('c1', ['lost'])
    await putItem(item, { messages: { S: '{"secret-envelope' } })
    await commit('c1', 'next')
    await pipeline.settle(async () => taken('c1').length === 1)
    expect(taken('c1')).toEqual(['next'])
    expect(await stateOf(item)).toMatchObject({ state: 'failed', lastError: 'the stored item is corrupt' })
    expect(lines.some((line) => line.includes('outbox.item_corrupt'))).toBe(true)
  })
})

describe('a mishap', () => {
  /** Two connections, an item of two messages, and a wallet that is not ready at first. */
  const scenario = async (mishap?: Mishap): Promise<OutboxItem[]> => {
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

  test('at every single call loses nothing and keeps the order; only a delivery that is not recorded is doubled', async () => {
    // The first one makes the wallet known as quick; the others then make the same calls as the second.
    await scenario()
    count += 1
    wallet.received.length = 0
    await scenario()
    const names = pipeline.calls.map(({ name }) => name)
    expect(names).toContain('SendMessageBatchCommand')
    expect(names).toContain('TransactWriteItemsCommand')
    for (const mishap of mishaps(names)) {
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

  test('at every call of the first attempt at a wallet of which nothing is known loses nothing either', async () => {
    const first = async (mishap?: Mishap) => {
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
    for (const mishap of mishaps(names))
      expect({ mishap, taken: await first(mishap) }).toEqual({ mishap, taken: ['a'] })
    expect(pipeline.dead()).toBe(0)
  })
})

test('no line of the log holds anything of an envelope', () => {
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => line.includes('secret-envelope') || line.includes('ciphertext'))).toEqual([])
})
