/** The way of a message to its wallet over real parts: in order, never lost, doubled only where nothing else can be. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { deliverToWallet } from '../../lib/delivery/deliver-to-wallet.ts'
import { markAttemptFailed, markTaken, newOutboxId, outboxItem, readOutbox } from '../../lib/delivery/outbox.ts'
import { writePointer } from '../../lib/delivery/pointer.ts'
import { MESSAGE_PLAN } from '../../lib/delivery/retry-plan.ts'
import { type Mishap, type Pipeline, startPipeline } from '../support/delivery-pipeline.ts'
import { type Behaviour, type FaultyReceiver, startFaultyReceiver } from '../support/faulty-receiver.ts'

let pipeline: Pipeline
let wallet: FaultyReceiver
let tenant = 0
const lines: string[] = []

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
  pipeline = await startPipeline()
})

afterAll(async () => {
  await pipeline.stop()
})

beforeEach(async () => {
  // Full jitter of nothing: every retry is due at once.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  wallet = await startFaultyReceiver()
  tenant += 1
  pipeline.plan()
})

afterEach(async () => {
  pipeline.plan()
  await wallet.stop()
})

const payload = (text: string) => JSON.stringify({ protected: 'secret-envelope', ciphertext: text })

/** An item for a connection of this test's tenant, as the unit of work writes it. */
const itemFor = (connectionId: string, texts: string[], expiresIn = 3600) =>
  outboxItem({
    tenant: `tenant${tenant}`,
    connectionId,
    id: newOutboxId(),
    messages: texts.map((text) => ({ endpoint: `${wallet.url}/${connectionId}`, payload: payload(text) })),
    createdAt: new Date().toISOString(),
    expiresAt: Math.floor(Date.now() / 1000) + expiresIn,
  })

type Item = ReturnType<typeof itemFor>

const commit = async (connectionId: string, ...texts: string[]): Promise<Item> => {
  const item = itemFor(connectionId, texts)
  await pipeline.put(item)
  return item
}

const enqueue = ({ pk, sk }: Item) =>
  pipeline.enqueue(writePointer({ pk: pk?.S ?? '', sk: sk?.S ?? '' }), `group ${tenant}`)

/** What a connection's wallet has taken, in the order of its arrival. */
const taken = (connectionId: string): string[] =>
  wallet.received
    .filter(({ path, status = 0 }) => path === `/${connectionId}` && status >= 200 && status < 300)
    .map(({ body }) => JSON.parse(body).ciphertext)

const stateOf = async (item: Item) => {
  const stored = await pipeline.read(item)
  return { state: stored?.state?.S, attempts: Number(stored?.attempts?.N), lastError: stored?.lastError?.S }
}

describe('a message', () => {
  test('should arrive as the envelope that was packed, once, and be marked as delivered', async () => {
    const item = await commit('c1', 'hello')
    await pipeline.settle()
    expect(wallet.received).toMatchObject([
      { path: '/c1', body: payload('hello'), headers: { 'content-type': 'application/didcomm-envelope-enc' } },
    ])
    expect(await stateOf(item)).toEqual({ state: 'delivered', attempts: 1, lastError: undefined })
    expect((await pipeline.read(item))?.deliveredAt?.S).toMatch(/^\d{4}-.*Z$/)
  })

  test('should arrive in order within its connection, 20 in a row with a wallet that fails now and then', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
    const moods: Behaviour[] = [{ status: 200 }, { status: 500 }, 'reset after the body was read', { status: 429 }]
    for (const text of texts) await commit('c1', text)
    wallet.behave({ status: 503 }, ...moods, ...moods, ...moods, { status: 200 })
    await pipeline.settle()
    expect(taken('c1')).toEqual(texts)
  })

  test('should not wait for the wallet of another connection', async () => {
    wallet.behave({ status: 503 })
    await commit('down', 'a')
    await pipeline.relayOnce()
    await pipeline.deliverOnce()
    wallet.behave({ status: 200 })
    // Hidden for its retry, the first one holds back its own connection only.
    vi.mocked(Math.random).mockReturnValue(0.999)
    const other = await commit('up', 'b')
    await pipeline.settle()
    expect(await stateOf(other)).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  test('should reach a wallet that was down and came up again, in order', async () => {
    const { port } = wallet
    await wallet.stop()
    const first = await commit('c1', 'a', 'b')
    await commit('c1', 'c')
    await pipeline.relayOnce()
    for (let attempt = 0; attempt < 5; attempt++) await pipeline.deliverOnce()
    expect(await stateOf(first)).toEqual({ state: 'pending', attempts: 5, lastError: 'connect: ECONNREFUSED' })
    wallet = await startFaultyReceiver(undefined, port)
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a', 'b', 'c'])
    expect(await stateOf(first)).toEqual({ state: 'delivered', attempts: 6, lastError: undefined })
  })

  test('should not be sent again when a later one of its item failed', async () => {
    wallet.behave({ status: 200 }, { status: 500 }, { status: 500 }, { status: 200 })
    const item = await commit('c1', 'a', 'b', 'c')
    await pipeline.settle()
    expect(wallet.received.map(({ body }) => JSON.parse(body).ciphertext)).toEqual(['a', 'b', 'b', 'b', 'c'])
    expect(await stateOf(item)).toMatchObject({ state: 'delivered', attempts: 3 })
  })

  test('should be sent once when its change is relayed twice and its pointer queued twice', async () => {
    const item = await commit('c1', 'a')
    await pipeline.settle()
    enqueue(item)
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a'])
  })
})

test('a message that there is no time for should be left for the next time', async () => {
  const item = itemFor('c1', ['a', 'b'])
  await pipeline.put(item)
  const body = writePointer({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' })
  expect(await deliverToWallet({ body, attempt: 1, startUntil: 0 })).toEqual({ kind: 'later', seconds: 0 })
  expect(taken('c1')).toEqual(['a'])
  expect(await stateOf(item)).toMatchObject({ state: 'pending', attempts: 0 })
  await pipeline.settle()
  expect(taken('c1')).toEqual(['a', 'b'])
})

describe('a wallet', () => {
  test.each([
    ['seconds', () => '7', 7],
    ['a date', () => new Date(Date.now() + 7_500).toUTCString(), 7],
    ['too little', () => '0', 4],
    ['too much', () => '86400', 16],
    ['garbage', () => 'soon', 0],
  ])('should be asked again when its Retry-After says so: %s', async (_name, header, seconds) => {
    wallet.behave({ status: 429, headers: { 'retry-after': header() } }, { status: 200 })
    const item = itemFor('c1', ['a'])
    await pipeline.put(item)
    const verdict = await deliverToWallet({
      body: writePointer({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' }),
      attempt: 4,
      startUntil: 0,
    })
    expect(verdict).toMatchObject({ kind: 'later' })
    const given = verdict.kind === 'later' ? verdict.seconds : Number.NaN
    expect(Math.abs(given - seconds)).toBeLessThanOrEqual(1)
    expect(await stateOf(item)).toEqual({ state: 'pending', attempts: 1, lastError: 'status 429' })
    await pipeline.settle()
  })

  test('should have its planned delay asked of the queue', async () => {
    vi.mocked(Math.random).mockReturnValue(0.5)
    wallet.behave({ status: 410 }, { status: 200 })
    await commit('c1', 'a')
    await pipeline.relayOnce()
    await pipeline.deliverOnce()
    expect(pipeline.calls.at(-1)).toMatchObject({
      name: 'ChangeMessageVisibilityBatchCommand',
      input: { Entries: [{ VisibilityTimeout: 1 }] },
    })
    expect(await pipeline.deliverOnce()).toBe(0)
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a'])
  })

  test('should be given up when the plan is used up, tried no more, and tried anew when redriven', async () => {
    wallet.behave({ status: 503, headers: { 'retry-after': '1' } })
    const item = itemFor('c1', ['a'])
    await pipeline.put(item)
    const body = writePointer({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' })
    const attempts = MESSAGE_PLAN.attempts
    expect(await deliverToWallet({ body, attempt: attempts, startUntil: 0 })).toEqual({ kind: 'spent' })
    expect(await stateOf(item)).toEqual({ state: 'failed', attempts: 1, lastError: 'status 503' })
    expect(await deliverToWallet({ body, attempt: attempts + 1, startUntil: 0 })).toEqual({ kind: 'spent' })
    expect(wallet.received).toHaveLength(1)
    expect(lines.filter((line) => line.includes('failed for good') && line.includes(`tenant${tenant}"`))).toHaveLength(
      1,
    )
    expect(await deliverToWallet({ body, attempt: 1, startUntil: 0 })).toMatchObject({ kind: 'later' })
    expect(await stateOf(item)).toMatchObject({ state: 'pending', attempts: 2 })
    wallet.behave({ status: 200 })
    await pipeline.settle()
    expect(await stateOf(item)).toEqual({ state: 'delivered', attempts: 3, lastError: undefined })
  })

  test('should go to the dead-letter queue after all its receipts, and let the next message go', async () => {
    const refusals = Array.from({ length: MESSAGE_PLAN.attempts }, () => ({ status: 500 }))
    wallet.behave({ status: 500 }, ...refusals.slice(1), { status: 200 })
    const lost = await commit('c1', 'a')
    const next = await commit('c1', 'b')
    await pipeline.settle()
    expect(await stateOf(lost)).toEqual({ state: 'failed', attempts: MESSAGE_PLAN.attempts, lastError: 'status 500' })
    expect(await stateOf(next)).toMatchObject({ state: 'delivered', attempts: 1 })
    expect(pipeline.dead()).toBe(1)
    expect(taken('c1')).toEqual(['b'])
  }, 30_000)
})

describe('a mark', () => {
  const stored = async () => {
    const item = itemFor('c1', ['a'], 60)
    await pipeline.put(item)
    const read = await readOutbox({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' })
    if (read === undefined) throw new Error('the item is not there')
    return { item, read }
  }

  afterEach(() => pipeline.settle())

  test('of a failed attempt should count once, however often it is made', async () => {
    const { item, read } = await stored()
    await markAttemptFailed(read, 'pending', 'status 500')
    await markAttemptFailed(read, 'pending', 'status 500')
    expect(await stateOf(item)).toEqual({ state: 'pending', attempts: 1, lastError: 'status 500' })
  })

  test('of a failed attempt should not undo a later one', async () => {
    const { item, read } = await stored()
    await markAttemptFailed(read, 'pending', 'status 500')
    await markAttemptFailed({ ...read, attempts: 1 }, 'failed', 'status 503')
    await markAttemptFailed(read, 'pending', 'status 500')
    expect(await stateOf(item)).toEqual({ state: 'failed', attempts: 2, lastError: 'status 503' })
  })

  test('of a delivery should stay, whatever a twin that failed says afterwards', async () => {
    const { item, read } = await stored()
    await markTaken(read, 1, '2026-01-01T00:00:00.000Z')
    await markTaken(read, 1, '2026-01-02T00:00:00.000Z')
    await markAttemptFailed(read, 'failed', 'status 500')
    expect(await stateOf(item)).toEqual({ state: 'delivered', attempts: 1, lastError: undefined })
    expect((await pipeline.read(item))?.deliveredAt?.S).toBe('2026-01-01T00:00:00.000Z')
  })

  test('of an item that is gone should bring nothing back', async () => {
    const { read } = await stored()
    await markTaken({ ...read, sk: 'gone' }, 1, '2026-01-01T00:00:00.000Z')
    expect(await readOutbox({ ...read, sk: 'gone' })).toBeUndefined()
  })
})

describe('nothing is sent', () => {
  test('of an item that has expired', async () => {
    await pipeline.put(itemFor('c1', ['a'], -1))
    await pipeline.settle()
    expect(wallet.received).toEqual([])
  })

  test('of an item that is gone, nor of a queue message that is no pointer', async () => {
    enqueue(itemFor('c1', ['a']))
    pipeline.enqueue('no pointer', 'other group')
    await pipeline.settle()
    expect(wallet.received).toEqual([])
  })

  test('of an item that cannot be read; it waits for someone who can', async () => {
    const item = { ...itemFor('c1', []), messages: { S: '{"secret-envelope' } }
    await pipeline.put(item)
    await pipeline.relayOnce()
    expect(await pipeline.deliverOnce()).toBe(1)
    expect(pipeline.queued()).toBe(1)
    expect(lines.at(-1)).toContain('messages')
    await pipeline.put(itemFor('c1', ['mended']))
    await pipeline.put({ ...item, messages: { S: '[]' }, state: { S: 'delivered' } })
    await pipeline.settle()
    expect(taken('c1')).toEqual(['mended'])
  })
})

describe('a mishap', () => {
  /** Two connections, an item of two messages, and a wallet that is not ready at first. */
  const scenario = async (mishap?: Mishap): Promise<Item[]> => {
    wallet.behave({ status: 503 }, { status: 200 })
    const items = [
      await commit('c1', 'a'),
      await commit('c1', 'b', 'c'),
      await commit('c2', 'x'),
      await commit('c1', 'd'),
    ]
    pipeline.plan(mishap)
    await pipeline.settle(1)
    return items
  }

  test('of a queue that takes a batch but for its first entry keeps the order of its connection', async () => {
    await commit('c1', 'a')
    await commit('c2', 'x')
    await commit('c1', 'b')
    pipeline.plan({ call: 1, kind: 'refuses the first entry', when: 'before' })
    // All three come again: what follows a change that is not relayed is not relayed either.
    expect(await pipeline.relayOnce()).toBe(3)
    expect(pipeline.calls).toHaveLength(1)
    expect(pipeline.queued()).toBe(1)
    await pipeline.settle()
    expect(taken('c1')).toEqual(['a', 'b'])
    expect(taken('c2')).toEqual(['x'])
  })

  test('at every single call loses nothing and keeps the order; only an unmarked delivery is doubled', async () => {
    await scenario()
    const names = pipeline.calls.map(({ name }) => name)
    expect(names).toContain('SendMessageBatchCommand')
    expect(names).toContain('ChangeMessageVisibilityBatchCommand')
    for (const call of names.keys())
      for (const kind of ['dies', 'fails'] as const)
        for (const when of ['before', 'after'] as const) {
          const mishap = { call: call + 1, kind, when }
          tenant += 1
          wallet.received.length = 0
          const items = await scenario(mishap)
          const all = [...taken('c1'), ...taken('c2')]
          const inOrder = { mishap, c1: [...new Set(taken('c1'))], c2: [...new Set(taken('c2'))] }
          expect(inOrder).toEqual({ mishap, c1: ['a', 'b', 'c', 'd'], c2: ['x'] })
          const unmarked = names[call] === 'UpdateItemCommand' && when === 'before'
          expect({ mishap, doubled: all.length - new Set(all).size }).toEqual({
            mishap,
            doubled: expect.toSatisfy((n) => n <= (unmarked ? 1 : 0)),
          })
          for (const item of items) expect(await stateOf(item)).toMatchObject({ state: 'delivered' })
          expect(pipeline.queued()).toBe(0)
        }
  }, 60_000)
})

test('no line of the log holds anything of an envelope', () => {
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => line.includes('secret-envelope') || line.includes('ciphertext'))).toEqual([])
})
