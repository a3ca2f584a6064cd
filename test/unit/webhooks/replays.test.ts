/** Replays: what goes out again, once for each call, with its id, in order, whole or not at all. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { onlyOnce } from '../../../lib/store/idempotency.ts'
import { encodeCursor } from '../../../lib/store/item-list.ts'
import type { Item } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { removeIf } from '../../../lib/store/write.ts'
import {
  attemptItem,
  type EventState,
  eventItem,
  listedItem,
  type NewEvent,
  pendingEvent,
  pendingEventItem,
  type StoredEvent,
} from '../../../lib/webhooks/event-item.ts'
import { eventIdOf } from '../../../lib/webhooks/events.ts'
import { MAX_REPLAYED, type ReplaySince, replayEvent, replaySince } from '../../../lib/webhooks/replays.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const NOT_FOUND = expect.objectContaining({ code: 'resource.not_found' })
const MALFORMED = expect.objectContaining({ code: 'request.malformed' })
const UNAVAILABLE = expect.objectContaining({ code: 'store.unavailable' })
const START = Date.parse('2026-11-20T12:00:00.000Z')
/** The time of the replays. */
const NOW = START + 3_600_000
const SINCE = new Date(START).toISOString()
const AT_REST = ['held', 'failed', 'delivered'] as const

const table = await useTable({ memory: true })
let endpoints = 0
let endpointId: string

beforeEach(() => {
  endpoints += 1
  endpointId = `endpoint${endpoints}`
})
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

const act = <T>(what: (unit: UnitOfWork) => Promise<T>): Promise<T> => transaction('@base', what)
const replayOne = (eventId: string, of = endpointId) =>
  act((unit) => replayEvent(unit, { orgId: 'acme', endpointId: of }, eventId))
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
    recordId: `record${ms % 3}`,
    sequence: ms,
    occurredAt,
    body: '{}',
    ...changes,
  }
}
const inLane = (event: NewEvent, attempts = 1): Item =>
  pendingEventItem.encode({ ...pendingEvent(event, event.occurredAt), attempts })
/** The item of an event in the list of its endpoint. */
const itemOf = (event: NewEvent, state: EventState, attempts = state === 'held' ? 0 : 10): Item =>
  state === 'pending'
    ? listedItem(pendingEvent(event, event.occurredAt))
    : // Nothing here is over by the clock of the machine.
      eventItem.encode({
        ...event,
        position: undefined,
        state,
        attempts,
        expiresAt: Math.floor(Date.now() / 1000) + 3600,
      })
/** Writes the items of an event; a pending one also in its lane. */
const put = async (event: NewEvent, state: EventState, attempts?: number): Promise<Item> => {
  const item = itemOf(event, state, attempts)
  await table.put(item)
  if (state === 'pending') await table.put(inLane(event, attempts))
  return item
}

/** Writes events of one state, one a ms. */
const fill = async (count: number, state: EventState, changes: Partial<NewEvent> = {}) => {
  const events = Array.from({ length: count }, (_, ms) => eventAt(ms, changes))
  await table.putAll(events.map((event) => itemOf(event, state)))
  if (state === 'pending') await table.putAll(events.map((event) => inLane(event)))
  return events
}
const stored = async (of = endpointId): Promise<StoredEvent[]> =>
  (await table.items(`@endpoint|${of}|events|`))
    .map((item) => eventItem.decode(item))
    .sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1))
const read = async (event: NewEvent): Promise<Item | undefined> => table.get(eventItem.addressOf(event))
/** Ids of the events that wait in lanes, as often as they do, in the order of time. */
const waiting = async (of = endpointId) =>
  (await table.items(`@outbox|acme|${of}|`))
    .map((item) => pendingEventItem.decode(item))
    .sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1))
    .map(({ id }) => id)
const idsOf = (events: readonly NewEvent[]) => events.map(({ id }) => id)
/** Has all of it delivered. */
const deliverAll = async (events: readonly NewEvent[]) => {
  for (const event of events) await table.put(itemOf(event, 'delivered'))
  for (const { pk, sk } of await table.items(`@outbox|acme|${endpointId}|`))
    await removeIf({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
}

/** All calls until the end. */
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
  test.each(AT_REST)('that is %s is sent again unchanged, with a new retry plan', async (state) => {
    const event = eventAt(1, { body: `{"state":"${state}"}` })
    await table.put(itemOf(event, state))
    expect(await replayOne(event.id)).toEqual({ replayed: 1 })
    const [again, ...others] = (await table.items(`@outbox|acme|${endpointId}|`)).map((item) =>
      pendingEventItem.decode(item),
    )
    if (again === undefined) throw new Error('nothing waits')
    const { pendingSince, position, ...waits } = again
    expect(others).toEqual([])
    expect(waits).toEqual({ ...event, attempts: 0 })
    expect(pendingSince > event.occurredAt).toBe(true)
    expect(await stored()).toEqual([{ ...event, state: 'pending', attempts: 0, position }])
  })

  test('that is pending already is not changed', async () => {
    const event = eventAt(1)
    const item = await put(event, 'pending', 3)
    expect(await replayOne(event.id)).toEqual({ replayed: 0 })
    expect(await read(event)).toEqual(item)
    expect(await waiting()).toEqual([event.id])
  })

  test('that is a test and was not tried yet is not changed', async () => {
    const event = eventAt(1)
    await table.put(inLane({ ...event, recordId: event.id }, 0))
    expect(await replayOne(event.id)).toEqual({ replayed: 0 })
    expect(await waiting()).toEqual([event.id])
  })

  test('that ten concurrent calls request is sent once', async () => {
    const event = eventAt(1)
    await table.put(itemOf(event, 'failed'))
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => replayOne(event.id)))
    const counts = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.replayed : 0))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(await waiting()).toEqual([event.id])
  })

  test('goes out as a new wake-up each time, before the later events of its record', async () => {
    const [event, later] = [eventAt(1, { recordId: 'one' }), eventAt(2, { recordId: 'one' })]
    await put(later, 'pending')
    const keys: string[] = []
    for (const _ of ['once', 'twice']) {
      await table.put(itemOf(event, 'failed'))
      await replayOne(event.id)
      const places = (await table.items(`@outbox|acme|${endpointId}|one`)).sort((a, b) =>
        (a.sk?.S ?? '') < (b.sk?.S ?? '') ? -1 : 1,
      )
      expect(places.map((place) => pendingEventItem.decode(place).id)).toEqual([event.id, later.id])
      keys.push(places[0]?.sk?.S ?? '')
      await removeIf({ pk: places[0]?.pk?.S ?? '', sk: keys.at(-1) ?? '' })
    }
    expect(keys[1]).not.toBe(keys[0])
    await table.put(itemOf(event, 'delivered'))
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

  test('by the id of a record is not there, though an event of the record is on its way', async () => {
    const event = eventAt(1)
    await table.put(inLane(event, 0))
    await expect(replayOne(event.recordId)).rejects.toEqual(NOT_FOUND)
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
    for (const [event, state] of all) await put(event, state, state === 'pending' ? 0 : undefined)
    expect(await replayAll({ since: new Date(START + 10).toISOString() })).toEqual({ replayed: 3 })
    expect((await stored()).map(({ state }) => state)).toEqual(['failed', 'pending', 'pending', 'pending', 'pending'])
    const ids = [held, failed, delivered, pending].map((one) => one?.[0].id)
    expect(await waiting()).toEqual(ids)
  })

  test.each(['2026-11-20T12:00:00.010Z', '2026-11-20T13:00:00.010+01:00'])('may be given as %s', async (since) => {
    await fill(12, 'held')
    expect(await replayAll({ since })).toEqual({ replayed: 2 })
  })

  test('do not include events after the first call', async () => {
    await table.put(itemOf(eventAt(1), 'delivered'))
    await table.put(itemOf(eventAt(NOW - START), 'delivered'))
    await table.put(itemOf(eventAt(NOW - START + 1), 'delivered'))
    expect(await replayAll()).toEqual({ replayed: 2 })
  })

  test('are none that occur after the first call, however many follow', async () => {
    await fill(2 * MAX_REPLAYED, 'held')
    await table.put(itemOf(eventAt(NOW - START + 1), 'held'))
    const call = (cursor: string | undefined, minutes: number) =>
      act((unit) => replaySince(unit, endpointId, { since: SINCE, cursor }, NOW + minutes * 60_000))
    const first = await call(undefined, 0)
    const second = await call(first.cursor, 1)
    expect([first.replayed, second.replayed]).toEqual([MAX_REPLAYED, MAX_REPLAYED])
    expect(await call(second.cursor, 2)).toEqual({ replayed: 0 })
  })

  test('are without the attempts at them, which are in the same list', async () => {
    const event = eventAt(1)
    await table.put(itemOf(event, 'failed'))
    const tried = { endpointId, eventId: event.id, type: event.type, attempt: 1, milliseconds: 3, response: '' }
    const startedAt = new Date(START + 2).toISOString()
    await table.put(attemptItem.encode({ ...tried, startedAt, outcome: 'failed', expiresAt: 9_999_999_999 }))
    expect(await replayAll()).toEqual({ replayed: 1 })
    expect(await waiting()).toEqual([event.id])
    await removeIf(attemptItem.addressOf({ ...tried, startedAt }))
  })

  test('are none where there are none', async () => {
    expect(await replayAll()).toEqual({ replayed: 0 })
    await fill(200, 'pending', {})
    expect(await replayToTheEnd()).toEqual([0])
    expect(await waiting()).toHaveLength(200)
  })

  test('go in calls of bounded work, each once, in order, even all of one record', async () => {
    const events = await fill(2 * MAX_REPLAYED + 5, 'failed', { recordId: 'one' })
    expect(await replayToTheEnd()).toEqual([MAX_REPLAYED, MAX_REPLAYED, 5])
    expect(await waiting()).toEqual(idsOf(events))
    expect((await stored()).every(({ state, attempts }) => state === 'pending' && attempts === 0)).toBe(true)
  })

  test('may be those of one state only, wherever they are', async () => {
    const events = await fill(500, 'delivered', { body: 'x'.repeat(4000) })
    const held = [3, 250, 251, 499].map((index) => events[index]).filter((event) => event !== undefined)
    await table.putAll(held.map((event) => itemOf(event, 'held')))
    expect(await replayAll({ state: 'failed' })).toEqual({ replayed: 0 })
    expect(await replayAll({ state: 'held' })).toEqual({ replayed: 4 })
    expect(await waiting()).toEqual(idsOf(held))
    const states = (await stored()).map(({ state }) => state)
    expect(states.filter((state) => state === 'delivered')).toHaveLength(496)
  })

  test('of 20 KB each fit into one transaction', async () => {
    await fill(MAX_REPLAYED, 'delivered', { body: 'x'.repeat(20 * 1024) })
    const counts = await replayToTheEnd()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MAX_REPLAYED)
  })

  test('are found behind many pending ones', async () => {
    await fill(1000, 'pending', { body: 'pending' })
    await table.put(itemOf(eventAt(2000), 'held'))
    // Each call reads ten pages.
    expect(await replayToTheEnd()).toEqual([0, 0, 1])
  })

  test('are replayed once, whatever their state became between the calls', async () => {
    await fill(MAX_REPLAYED + 5, 'failed')
    const first = await replayAll()
    // The first ones were delivered before the second call.
    await deliverAll((await stored()).filter(({ state }) => state === 'pending'))
    expect(await replayAll({ cursor: first.cursor })).toEqual({ replayed: 5 })
    expect(await waiting()).toHaveLength(5)
  })

  test('go out once when a call is repeated before they arrived', async () => {
    await fill(MAX_REPLAYED + 5, 'held')
    const [first, again] = [await replayAll(), await replayAll()]
    expect([first.replayed, again.replayed]).toEqual([MAX_REPLAYED, 5])
    expect(await replayAll({ cursor: first.cursor })).toEqual({ replayed: 0 })
    expect(await waiting()).toEqual(idsOf(await stored()))
  })

  test('are with the answer of an Idempotency-Key in one transaction, however many there are', async () => {
    await fill(120, 'delivered')
    const once = { subject: 'root', key: endpointId, request: 'replay many' }
    const ask = () => act((unit) => onlyOnce(unit, once, () => replaySince(unit, endpointId, { since: SINCE }, NOW)))
    table.watch()
    const first = await ask()
    expect(first).toEqual({ replayed: MAX_REPLAYED, cursor: expect.any(String) })
    expect(await ask()).toEqual(first)
    expect(table.writes).toEqual([2 * MAX_REPLAYED + 1])
    expect(await waiting()).toHaveLength(MAX_REPLAYED)
  })
})

describe('a cursor of a replay', () => {
  test('is a position: it replays nothing of another endpoint, and an invalid one is rejected', async () => {
    await fill(MAX_REPLAYED + 1, 'held')
    const { cursor } = await replayAll()
    expect(cursor).toBeDefined()
    expect(await replayAll({ cursor }, 'another')).toEqual({ replayed: 0 })
    for (const none of [`${cursor}A`, 'AAAA', encodeCursor(SINCE)])
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
    expect(await waiting()).toEqual([])
  })

  test('when another replay is faster: it sees that the event is on its way', async () => {
    const [event] = await fill(1, 'failed')
    if (event === undefined) throw new Error('no event')
    let marked = false
    table.way = async (command, send) => {
      if (command === 'TransactWriteItems' && !marked) {
        marked = true
        await put(event, 'pending', 1)
      }
      return send()
    }
    expect(await replayAll()).toEqual({ replayed: 0 })
    expect(await stored()).toMatchObject([{ ...event, state: 'pending' }])
    expect(await waiting()).toEqual([event.id])
  })

  test('in one transaction for a call, and few requests beside it', async () => {
    await fill(20, 'failed')
    table.watch()
    await replayAll()
    // A page of each partition.
    expect(table.requests).toEqual([...Array(8).fill('Query'), 'TransactWriteItems'])
    expect(table.writes).toEqual([40])
  })
})

test('an id leads to its event without a search', async () => {
  const event = eventAt(1)
  await table.put(itemOf(event, 'held'))
  table.watch()
  await replayOne(event.id)
  expect(table.requests).toEqual(['GetItem', 'TransactWriteItems'])
  expect(await read(event)).toMatchObject({ state: { S: 'pending' } })
})
