/** The list of attempts at an endpoint: newest first, by outcome, in pages, without those of other endpoints. */
import { describe, expect, test } from 'vitest'
import { epochSeconds } from '../../../lib/store/table.ts'
import { listDeliveries } from '../../../lib/webhooks/endpoints.ts'
import { type Attempt, attemptItem, expiryOf, restingItem } from '../../../lib/webhooks/event-item.ts'
import { eventIdOf } from '../../../lib/webhooks/events.ts'
import { useTable } from '../store/use-table.ts'

const MALFORMED = expect.objectContaining({ code: 'request.malformed' })
const START = Date.now() - 60_000

const table = await useTable({ memory: true, check: false })

const timeOf = (number: number): string => new Date(START + number).toISOString()
const idOf = (number: number): string => eventIdOf(timeOf(number), String(number))

const attemptOf = (endpointId: string, number: number, changes: Partial<Attempt> = {}): Attempt => ({
  endpointId,
  eventId: idOf(number),
  type: 'proof.state_changed',
  attempt: 1,
  startedAt: timeOf(number),
  status: 200,
  milliseconds: 12,
  response: 'ok',
  outcome: 'delivered',
  expiresAt: expiryOf(timeOf(number)),
  ...changes,
})
const isFailed = (number: number): boolean => number % 10 === 0

/** Attempts one ms apart; every tenth one failed. */
const attempts = async (endpointId: string, count: number, response = '') => {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const items = numbers.map((number) =>
    attemptItem.encode(attemptOf(endpointId, number, { response, outcome: isFailed(number) ? 'failed' : 'delivered' })),
  )
  await table.putAll(items)
  return numbers.map(idOf).reverse()
}

/** All pages, by the cursors that they give. */
const pages = async (endpointId: string, query: { limit: number; status?: Attempt['outcome'] }) => {
  const ids: string[][] = []
  let cursor: string | undefined
  do {
    const { entries, next } = await listDeliveries(endpointId, { ...query, cursor })
    ids.push(entries.map(({ eventId }) => eventId))
    cursor = next
  } while (cursor !== undefined)
  return ids
}

describe('an attempt', () => {
  test.each<[string, Partial<Attempt>, object]>([
    ['that was taken', {}, { status: 'delivered', responseStatus: 200 }],
    ['that was rejected', { outcome: 'failed', status: 500 }, { status: 'failed', responseStatus: 500 }],
    [
      'without a response',
      { outcome: 'failed', status: undefined, failure: 'timeout', response: '' },
      { status: 'failed', failure: 'timeout', response: '' },
    ],
    [
      'with a broken response',
      { outcome: 'failed', failure: 'response' },
      { failure: 'response', responseStatus: 200 },
    ],
  ])('%s is shown with what came of it', async (name, changes, expected) => {
    const attempt = attemptOf(`one ${name}`, 1, changes)
    await table.put(attemptItem.encode(attempt))
    const { eventId, type, startedAt, milliseconds, response } = attempt
    const { entries } = await listDeliveries(`one ${name}`, { limit: 10 })
    expect(entries).toEqual([
      {
        ...{ eventId, type, attempt: 1, startedAt, milliseconds, response },
        ...(attempt.status !== undefined && { responseStatus: attempt.status }),
        status: attempt.outcome,
        ...expected,
      },
    ])
  })

  test('that is older than 30 days is not shown, though the table still has it', async () => {
    const [old, young] = [attemptOf('old', 1), attemptOf('old', 2)]
    await table.put({ ...attemptItem.encode(old), expiresAt: { N: String(epochSeconds()) } })
    await table.put(attemptItem.encode(young))
    const { entries } = await listDeliveries('old', { limit: 10 })
    expect(entries.map(({ eventId }) => eventId)).toEqual([young.eventId])
  })
})

describe('the list', () => {
  test('is empty where nothing was attempted', async () => {
    expect(await listDeliveries('none', { limit: 10 })).toEqual({ entries: [] })
  })

  test.each([1, 7, 80, 1000])('is newest first, each attempt once, %i at a time', async (limit) => {
    const ids = await attempts(`by ${limit}`, 80)
    const shown = await pages(`by ${limit}`, { limit })
    expect(shown.flat()).toEqual(ids)
    expect(shown).toHaveLength(Math.ceil(ids.length / limit))
  })

  test.each([3, 1000])('holds only what failed, or only what was delivered, %i at a time', async (limit) => {
    const endpointId = `filtered by ${limit}`
    const ids = await attempts(endpointId, 250)
    const failed = ids.filter((_, index) => isFailed(ids.length - 1 - index))
    expect(failed).toHaveLength(25)
    expect((await pages(endpointId, { limit, status: 'failed' })).flat()).toEqual(failed)
    const delivered = ids.filter((id) => !failed.includes(id))
    expect((await pages(endpointId, { limit, status: 'delivered' })).flat()).toEqual(delivered)
  })

  /** Events at rest one ms apart, after those of `attempts`. */
  const restingEvents = (endpointId: string, count: number, state: 'failed' | 'held') =>
    Array.from({ length: count }, (_, number) => 1_000 + number).map((number) => {
      const of = { orgId: 'acme', endpointId, recordId: 'r1', type: 'proof.state_changed', body: '{}' }
      return restingItem({ ...of, id: idOf(number), sequence: number, occurredAt: timeOf(number), attempts: 1 }, state)
    })

  test('needs no second page for attempts that lie beside their events', async () => {
    const events = restingEvents('beside', 200, 'failed')
    const beside = events.map((_, number) => attemptItem.encode(attemptOf('beside', 1_000 + number)))
    await table.putAll([...events, ...beside])
    table.watch()
    const { entries } = await listDeliveries('beside', { limit: 50 })
    expect(entries).toHaveLength(50)
    // One for each partition; if one of them randomly has many, it is read twice.
    expect(table.requests.length).toBeLessThan(12)
  })

  test('shows attempts after any number of events that were never sent', async () => {
    await table.putAll(restingEvents('disabled', 150, 'held'))
    const ids = await attempts('disabled', 3)
    expect((await listDeliveries('disabled', { limit: 10 })).entries.map(({ eventId }) => eventId)).toEqual(ids)
  })

  test('without attempts ends', async () => {
    const items = Array.from({ length: 40 }, (_, number) => attemptItem.encode(attemptOf('all well', number)))
    await table.putAll(items)
    expect((await pages('all well', { limit: 1, status: 'failed' })).flat()).toEqual([])
  })

  test('fits into a response of Lambda, for any stored responses', async () => {
    const ids = await attempts('large', 1100, '\u0001'.repeat(1024))
    for (const status of [undefined, 'delivered'] as const) {
      const { entries, next } = await listDeliveries('large', { limit: 1000, status })
      expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThan(6 * 1024 * 1024)
      expect(next).toBeDefined()
    }
    expect((await pages('large', { limit: 1000 })).flat()).toEqual(ids)
  })

  test("is the endpoint's own", async () => {
    await attempts('mine', 3)
    expect(await listDeliveries('min', { limit: 10 })).toEqual({ entries: [] })
  })
})

describe('a cursor', () => {
  test('is a position: it shows nothing of another endpoint, and an invalid one is rejected', async () => {
    const [, ...mine] = await attempts('a', 5)
    const theirs = await attempts('b', 5)
    const { next: cursor } = await listDeliveries('a', { limit: 1 })
    expect(cursor).toBeDefined()
    for (const { eventId } of (await listDeliveries('b', { limit: 10, cursor })).entries)
      expect(theirs).toContain(eventId)
    const { entries } = await listDeliveries('a', { limit: 3, cursor })
    expect(entries.map(({ eventId }) => eventId)).toEqual(mine.slice(0, 3))
    for (const none of ['AAAA', `${cursor}A`])
      await expect(listDeliveries('a', { limit: 1, cursor: none })).rejects.toEqual(MALFORMED)
  })

  test('continues at its position, after any changes in between', async () => {
    const ids = await attempts('moving', 5)
    const { next: cursor } = await listDeliveries('moving', { limit: 2 })
    await table.put(attemptItem.encode(attemptOf('moving', 10)))
    const { entries } = await listDeliveries('moving', { limit: 10, cursor })
    expect(entries.map(({ eventId }) => eventId)).toEqual(ids.slice(2))
  })
})
