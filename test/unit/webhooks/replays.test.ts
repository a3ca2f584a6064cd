/** Replays: what goes out again, once for each call, with its id, in order, whole or not at all. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { toCursor } from '../../../lib/store/cursor.ts'
import { onlyOnce } from '../../../lib/store/idempotency.ts'
import { type Item, toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { eventIdOf } from '../../../lib/webhooks/event-id.ts'
import {
  type EventState,
  eventAddress,
  eventPartition,
  fromEventItem,
  type NewEvent,
  type StoredEvent,
  toEventItem,
} from '../../../lib/webhooks/event-item.ts'
import { fromReplayItem, replayPartition } from '../../../lib/webhooks/replay-item.ts'
import { MOST_REPLAYED, type ReplaySince, replayEvent, replaySince } from '../../../lib/webhooks/replays.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'

const NOT_FOUND = expect.objectContaining({ code: 'resource.not_found' })
const MALFORMED = expect.objectContaining({ code: 'request.malformed' })
const UNAVAILABLE = expect.objectContaining({ code: 'store.unavailable' })
const START = Date.parse('2026-11-20T12:00:00.000Z')
/** When replays are asked for. */
const NOW = START + 3_600_000
const SINCE = new Date(START).toISOString()
const AT_REST = ['held', 'failed', 'delivered'] as const

let table: StartedTable
let endpoints = 0
let endpointId: string

beforeAll(async () => {
  table = await startTable()
})
afterAll(async () => {
  expect(await table.check()).toEqual([])
  await table.stop()
})
beforeEach(() => {
  endpoints += 1
  endpointId = `endpoint${endpoints}`
})
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

const act = <T>(what: (unit: UnitOfWork) => Promise<T>): Promise<T> => transaction('@base', what)
const replayOne = (eventId: string, of = endpointId) => act((unit) => replayEvent(unit, of, eventId))
const replayAll = (given: Partial<ReplaySince> = {}, of = endpointId) =>
  act((unit) => replaySince(unit, of, { since: SINCE, ...given }, NOW))

/** An event that occurred so many ms after START. */
const eventAt = (ms: number, changes: Partial<NewEvent> = {}): NewEvent => {
  const occurredAt = new Date(START + ms).toISOString()
  return {
    id: eventIdOf(occurredAt, endpointId, JSON.stringify(changes)),
    type: 'connection.state_changed',
    orgId: 'acme',
    endpointId,
    endpointKind: 'webhook',
    recordId: `record${ms % 3}`,
    occurredAt,
    body: '{}',
    ...changes,
  }
}
const itemOf = (event: NewEvent, state: EventState, attempts = state === 'held' ? 0 : 10): Item => ({
  ...toEventItem(event, state),
  attempts: { N: String(attempts) },
  // Nothing here is over by the clock of the machine.
  expiresAt: { N: String(Math.floor(Date.now() / 1000) + 3600) },
})

/** Writes events of one state, one a ms. */
const fill = async (count: number, state: EventState, changes: Partial<NewEvent> = {}) => {
  const events = Array.from({ length: count }, (_, ms) => eventAt(ms, changes))
  await table.putAll(events.map((event) => itemOf(event, state)))
  return events
}
const stored = async (of = endpointId): Promise<StoredEvent[]> =>
  (await table.items(eventPartition(of))).map(fromEventItem).sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1))
const read = async (event: NewEvent): Promise<Item | undefined> => table.get(eventAddress(event))
const replays = async (of = endpointId) =>
  (await table.items(replayPartition(of))).map(fromReplayItem).sort((a, b) => (a.id < b.id ? -1 : 1))

/** All calls that it takes. */
const replayToTheEnd = async (given: Partial<ReplaySince> = {}): Promise<number[]> => {
  const counts: number[] = []
  let cursor: string | undefined
  do {
    const { replayed, cursor: next } = await replayAll({ ...given, cursor })
    counts.push(replayed)
    cursor = next
  } while (cursor !== undefined)
  return counts
}

describe('one event', () => {
  test.each(AT_REST)('that is %s goes out again as it was, and its plan begins anew', async (state) => {
    const event = eventAt(1, { body: `{"state":"${state}"}` })
    await table.put(itemOf(event, state))
    expect(await replayOne(event.id)).toEqual({ replayed: 1 })
    expect(await stored()).toEqual([{ ...event, state: 'pending', attempts: 0 }])
    const [replay] = await replays()
    expect(replay?.events).toEqual([{ ...eventAddress(event), recordId: event.recordId }])
  })

  test('that is on its way already is left alone', async () => {
    const event = eventAt(1)
    const waiting = { ...itemOf(event, 'pending', 3), nextAttemptAt: { S: new Date(NOW).toISOString() } }
    await table.put(waiting)
    expect(await replayOne(event.id)).toEqual({ replayed: 0 })
    expect(await read(event)).toEqual(waiting)
    expect(await replays()).toEqual([])
  })

  test('asked for twice goes out once', async () => {
    const event = eventAt(1)
    await table.put(itemOf(event, 'failed'))
    expect([await replayOne(event.id), await replayOne(event.id)]).toEqual([{ replayed: 1 }, { replayed: 0 }])
    expect(await replays()).toHaveLength(1)
  })

  test('asked for by ten at once goes out once', async () => {
    const event = eventAt(1)
    await table.put(itemOf(event, 'failed'))
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => replayOne(event.id)))
    const counts = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.replayed : 0))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(await replays()).toHaveLength(1)
  })

  test('keeps its age: a replay does not make it last longer', async () => {
    const event = eventAt(1)
    const item = itemOf(event, 'held')
    await table.put(item)
    await replayOne(event.id)
    expect((await read(event))?.expiresAt).toEqual(item.expiresAt)
  })

  test.each([
    ['an id of no event', 'd734a876-e3ca-478c-901f-b447ad6b579f'],
    ['no id at all', 'x'],
    ['an id that nothing has', eventIdOf(SINCE, 'nothing')],
  ])('is not there: %s', async (_, id) => {
    await expect(replayOne(id)).rejects.toEqual(NOT_FOUND)
  })

  test('of another endpoint is not there', async () => {
    const event = eventAt(1)
    await table.put(itemOf(event, 'held'))
    await expect(replayOne(event.id, 'another')).rejects.toEqual(NOT_FOUND)
    expect((await stored())[0]?.state).toBe('held')
  })

  test('that has expired is not there', async () => {
    const event = eventAt(1)
    await table.put({ ...itemOf(event, 'held'), expiresAt: { N: '1' } })
    await expect(replayOne(event.id)).rejects.toEqual(NOT_FOUND)
  })
})

describe('the events since a time', () => {
  test('are those that occurred then or later and have come to rest', async () => {
    const [held, failed, delivered] = AT_REST.map((state, index) => [eventAt(10 + index), state] as const)
    const pending = [eventAt(20), 'pending'] as const
    const earlier = [eventAt(9), 'failed'] as const
    const all = [held, failed, delivered, pending, earlier].filter((one) => one !== undefined)
    await table.putAll(all.map(([event, state]) => itemOf(event, state, state === 'pending' ? 0 : undefined)))
    expect(await replayAll({ since: new Date(START + 10).toISOString() })).toEqual({ replayed: 3 })
    expect((await stored()).map(({ state }) => state)).toEqual(['failed', 'pending', 'pending', 'pending', 'pending'])
    const [replay] = await replays()
    const ids = [held, failed, delivered].map((one) => one?.[0].id)
    expect(replay?.events.map(({ sk }) => sk.split('#')[1])).toEqual(ids)
  })

  test.each(['2026-11-20T12:00:00.010Z', '2026-11-20T13:00:00.010+01:00'])('may be given as %s', async (since) => {
    await fill(12, 'held')
    expect(await replayAll({ since })).toEqual({ replayed: 2 })
  })

  test('are none that occur after it was asked for', async () => {
    await table.put(itemOf(eventAt(1), 'delivered'))
    await table.put(itemOf(eventAt(NOW - START), 'delivered'))
    await table.put(itemOf(eventAt(NOW - START + 1), 'delivered'))
    expect(await replayAll()).toEqual({ replayed: 2 })
  })

  test('are none where there are none', async () => {
    expect(await replayAll()).toEqual({ replayed: 0 })
    await fill(200, 'pending', {})
    expect(await replayToTheEnd()).toEqual([0])
    expect(await replays()).toEqual([])
  })

  test('go in calls of bounded work, each once, in order, even all of one record', async () => {
    const events = await fill(2 * MOST_REPLAYED + 5, 'failed', { recordId: 'one' })
    expect(await replayToTheEnd()).toEqual([MOST_REPLAYED, MOST_REPLAYED, 5])
    const sent = (await replays()).flatMap((replay) => replay.events.map(({ sk }) => sk))
    expect(sent).toEqual(events.map((event) => eventAddress(event).sk))
    expect((await stored()).every(({ state, attempts }) => state === 'pending' && attempts === 0)).toBe(true)
  })

  test('may be those of one state only, wherever they are', async () => {
    const events = await fill(500, 'delivered', { body: 'x'.repeat(4000) })
    const held = [3, 250, 251, 499].map((index) => events[index]).filter((event) => event !== undefined)
    await table.putAll(held.map((event) => itemOf(event, 'held')))
    expect(await replayAll({ state: 'failed' })).toEqual({ replayed: 0 })
    expect(await replayAll({ state: 'held' })).toEqual({ replayed: 4 })
    expect((await replays())[0]?.events.map(({ sk }) => sk)).toEqual(held.map((event) => eventAddress(event).sk))
    const states = (await stored()).map(({ state }) => state)
    expect(states.filter((state) => state === 'delivered')).toHaveLength(496)
  })

  test.each(AT_REST)('that are %s and many go in calls of bounded work, each once', async (state) => {
    const events = await fill(MOST_REPLAYED + 5, state)
    expect(await replayToTheEnd({ state })).toEqual([MOST_REPLAYED, 5])
    const sent = (await replays()).flatMap((replay) => replay.events.map(({ sk }) => sk))
    expect(sent).toEqual(events.map((event) => eventAddress(event).sk))
  })

  test('of 20 KB each fit into one transaction', async () => {
    await fill(MOST_REPLAYED, 'delivered', { body: 'x'.repeat(20 * 1024) })
    const counts = await replayToTheEnd()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MOST_REPLAYED)
  })

  test('are found behind many that are on their way', async () => {
    await fill(1000, 'pending', { body: 'pending' })
    await table.put(itemOf(eventAt(2000), 'held'))
    const counts = await replayToTheEnd()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(counts.length).toBeLessThan(4)
  })

  test('are not told from another call by what became of them meanwhile: each goes out once', async () => {
    await fill(MOST_REPLAYED + 5, 'failed')
    const first = await replayAll()
    // The first ones were delivered before the second call.
    for (const event of (await stored()).slice(0, 10)) await table.put(itemOf(event, 'delivered'))
    expect(await replayAll({ cursor: first.cursor })).toEqual({ replayed: 5 })
    expect((await replays()).flatMap(({ events }) => events)).toHaveLength(MOST_REPLAYED + 5)
  })

  test('go out once when a call is repeated before they arrived', async () => {
    await fill(MOST_REPLAYED + 5, 'held')
    const [first, again] = [await replayAll(), await replayAll()]
    expect([first.replayed, again.replayed]).toEqual([MOST_REPLAYED, 5])
    expect(await replayAll({ cursor: first.cursor })).toEqual({ replayed: 0 })
    const sent = (await replays()).flatMap(({ events }) => events.map(({ sk }) => sk))
    expect(new Set(sent).size).toBe(MOST_REPLAYED + 5)
    expect(sent).toHaveLength(MOST_REPLAYED + 5)
  })

  test('go out once with an Idempotency-Key, though the first answer was lost and they were delivered since', async () => {
    await fill(3, 'delivered')
    const once = { subject: 'root', key: endpointId, request: 'replay' }
    const ask = () => act((unit) => onlyOnce(unit, once, () => replaySince(unit, endpointId, { since: SINCE }, NOW)))
    const first = await ask()
    for (const event of await stored()) await table.put(itemOf(event, 'delivered'))
    expect(await ask()).toEqual(first)
    expect((await replays()).flatMap(({ events }) => events)).toHaveLength(3)
  })
})

describe('a cursor of a replay', () => {
  test('is a position: it replays nothing of another endpoint, and what is none is refused', async () => {
    await fill(MOST_REPLAYED + 1, 'held')
    const { cursor } = await replayAll()
    expect(cursor).toBeDefined()
    expect(await replayAll({ cursor }, 'another')).toEqual({ replayed: 0 })
    for (const none of [`${cursor}A`, 'AAAA', toCursor(SINCE)])
      await expect(replayAll({ cursor: none })).rejects.toEqual(MALFORMED)
    expect(await replayAll({ cursor })).toEqual({ replayed: 1 })
  })
})

describe('a replay is whole or did not happen', () => {
  test('when the table fails', async () => {
    await fill(5, 'failed')
    const before = await stored()
    table.way = async (command, send) => {
      if (command === 'TransactWriteItems') throw failure('InternalServerError', { $fault: 'server' })
      return send()
    }
    vi.spyOn(Math, 'random').mockReturnValue(0)
    await expect(replayAll()).rejects.toEqual(UNAVAILABLE)
    expect(await stored()).toEqual(before)
    expect(await replays()).toEqual([])
  })

  test('when an attempt is marked at the same time: it sees what was marked', async () => {
    const [event] = await fill(1, 'failed')
    if (event === undefined) throw new Error('no event')
    let marked = false
    table.way = async (command, send) => {
      if (command === 'TransactWriteItems' && !marked) {
        marked = true
        // An operator has had it out of the dead-letter queue.
        await table.put({ ...itemOf(event, 'pending', 1), nextAttemptAt: { S: new Date(NOW).toISOString() } })
      }
      return send()
    }
    expect(await replayAll()).toEqual({ replayed: 0 })
    expect(await stored()).toEqual([
      { ...event, state: 'pending', attempts: 1, nextAttemptAt: new Date(NOW).toISOString() },
    ])
  })

  test('in one transaction for a call, and few requests beside it', async () => {
    await fill(20, 'failed')
    table.watch()
    await replayAll()
    expect(table.requests).toEqual(['Query', 'TransactWriteItems'])
    expect(table.transactions).toEqual([21])
  })
})

test('an id leads to its event without a search', async () => {
  const event = eventAt(1)
  await table.put(itemOf(event, 'held'))
  table.watch()
  await replayOne(event.id)
  expect(table.requests).toEqual(['GetItem', 'TransactWriteItems'])
  expect(toKey(eventAddress(event)).sk).toEqual((await read(event))?.sk)
})
