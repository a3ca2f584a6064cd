/** Events that an organization requests: replays, which keep their ids, and test events. */

import { randomUUID } from 'node:crypto'
import { AgentError } from '../errors.ts'
import { eventLane } from '../outbox/wake-ups/index.ts'
import { tryDecode } from '../store/item.ts'
import { decodeCursor, encodeCursor, REPLAY_POSITION } from '../store/item-list.ts'
import { queryMerged } from '../store/merged-pages.ts'
import type { PartitionPage } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type EndpointPath, requireEnabledEndpoint } from './endpoints.ts'
import {
  type EventState,
  eventItem,
  eventPartitions,
  listedItem,
  pendingEvent,
  pendingEventItem,
  type StoredEvent,
} from './event-item.ts'
import { occurredAtOf, testEvent } from './events.ts'

/** Maximum number of events in one replay: each is two items, and a transaction has at most 100. */
export const MAX_REPLAYED = 45

/** Maximum number of pages that a call reads. */
const MAX_READS = 10

interface Replayed {
  /** Number of replayed events. */
  replayed: number
  /** Cursor for the next call; absent at the end. */
  cursor?: string
}

/**
 * Replays one event, unless it is pending. Throws `resource.not_found`, also before the first attempt at an event that
 * is not a test: its id is not known yet.
 */
export const replayEvent = async (
  unit: UnitOfWork,
  { orgId, endpointId }: EndpointPath,
  eventId: string,
): Promise<Replayed> => {
  const occurredAt = occurredAtOf(eventId)
  const address = occurredAt && eventItem.addressOf({ endpointId, occurredAt, id: eventId })
  const item = address ? await unit.get(address) : undefined
  if (item !== undefined) return { replayed: replay(unit, [eventItem.decode(item)].filter(isAtRest)) }
  // The lane of a test event has its id as record id. Other lanes have the id of a record, which is never an event's
  // id.
  const { items } = await unit.query(eventLane(orgId, endpointId, eventId), { limit: 1 })
  if (items.some((item) => tryDecode(pendingEventItem, item)?.id === eventId)) return { replayed: 0 }
  throw new AgentError('resource.not_found', 'there is no such event of this endpoint')
}

export interface ReplaySince {
  /** ISO 8601: replays events from this time on. Needed without a cursor. */
  since?: string | undefined
  /** Only events in this state; default: all that are not pending. */
  state?: Exclude<EventState, 'pending'> | undefined
  cursor?: string | undefined
}

/**
 * Replays the next events, oldest first, without those that occur after the first call. Throws `request.malformed` for
 * a cursor of another list. `now` in ms since the epoch.
 */
export const replaySince = async (
  unit: UnitOfWork,
  endpointId: string,
  { since = '', state, cursor }: ReplaySince,
  now: number = Date.now(),
): Promise<Replayed> => {
  const position = cursor === undefined ? undefined : decodeCursor(cursor, REPLAY_POSITION)
  const [until = '', last] = position?.split(' ') ?? [new Date(now).toISOString()]
  const after = last ?? new Date(since).toISOString()
  const { events, next } = await nextAtRest(unit, endpointId, { after, until, state })
  const replayed = replay(unit, events)
  return next === undefined ? { replayed } : { replayed, cursor: encodeCursor(`${until} ${next}`) }
}

interface Range extends Pick<ReplaySince, 'state'> {
  /** A sort key. */
  after: string
  /** ISO 8601. */
  until: string
}

/** Events of a range to replay, as many as one call takes. `next`: the sort key to continue after. */
const nextAtRest = async (unit: UnitOfWork, endpointId: string, { after, until, state }: Range) => {
  const events: StoredEvent[] = []
  let next: string | undefined = after
  for (let reads = 0; reads < MAX_READS && next !== undefined; reads++) {
    // Events in one state may be rare, so more are read.
    const read = { after: next, limit: state === undefined ? MAX_REPLAYED : 200 }
    const page: PartitionPage = await unit.runRead(() => queryMerged(eventPartitions(endpointId), read))
    for (const item of page.items) {
      if (!eventItem.is(item)) continue
      const event = eventItem.decode(item)
      if (event.occurredAt > until) return { events, next: undefined }
      if (state === undefined ? isAtRest(event) : event.state === state) events.push(event)
      if (events.length === MAX_REPLAYED) return { events, next: item.sk?.S }
    }
    next = page.next
  }
  return { events, next }
}

const isAtRest = ({ state }: StoredEvent): boolean => state !== 'pending'

/** Puts each event back into its lane and restarts its retry plan. */
const replay = (unit: UnitOfWork, events: StoredEvent[]): number => {
  const now = new Date().toISOString()
  for (const read of events) {
    const { state, expiresAt: _, ...event } = read
    const pending = pendingEvent(event, now, randomUUID())
    unit.replace(listedItem(pending), eventItem.attributes({ state }))
    unit.create(pendingEventItem.encode(pending))
  }
  return events.length
}

/** Sends an `endpoint.test` event. Throws `resource.not_found`, `endpoint.not_active`. `now` in ms since the epoch. */
export const sendTestEvent = async (
  unit: UnitOfWork,
  path: EndpointPath,
  now: number = Date.now(),
): Promise<{ eventId: string }> => {
  const event = testEvent(await requireEnabledEndpoint(unit, path), new Date(now).toISOString())
  // In a separate lane: a failing test that is retried for days must not block the next one.
  unit.create(pendingEventItem.encode(pendingEvent({ ...event, recordId: event.id }, new Date(now).toISOString())))
  return { eventId: event.id }
}
