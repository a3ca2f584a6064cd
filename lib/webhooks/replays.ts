/** Replays: events of an endpoint go back to `pending` and out again, with the ids that they had. */
import { AgentError } from '../errors.ts'
import { openCursor, REPLAY_POSITION, toCursor } from '../store/cursor.ts'
import type { Item, PartitionPage } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { occurredAtOf } from './event-id.ts'
import { type EventState, eventAddress, eventPartition, fromEventItem } from './event-item.ts'
import { type ReplayedEvent, toReplayItem } from './replay-item.ts'

/** Events that one call replays: its transaction takes 100 items and 4 MB, and an event may be 20 KB. */
export const MOST_REPLAYED = 80

/** Pages read for one call at most. */
const MOST_READS = 10

export interface Replayed {
  /** How many events go out again because of this call. */
  replayed: number
  /** Where the next call goes on; absent when there is no more. */
  cursor?: string
}

/** Replays one event, unless it is on its way. Throws `resource.not_found`. */
export const replayEvent = async (unit: UnitOfWork, endpointId: string, eventId: string): Promise<Replayed> => {
  const occurredAt = occurredAtOf(eventId)
  const address = occurredAt && eventAddress({ endpointId, occurredAt, id: eventId })
  const item = address ? await unit.get(address) : undefined
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such event of this endpoint')
  return { replayed: replay(unit, endpointId, [item].filter(isAtRest)) }
}

export interface ReplaySince {
  /** ISO 8601: the events that occurred then or later. */
  since: string
  /** Only those that are in it; none: all that are not on their way. */
  state?: Exclude<EventState, 'pending'> | undefined
  cursor?: string | undefined
}

/**
 * Replays the next events, oldest first; those that occur after the first call are none of them. Throws `request.malformed` for a cursor
 * that is not of a replay. `now` in ms since the epoch.
 */
export const replaySince = async (
  unit: UnitOfWork,
  endpointId: string,
  { since, state, cursor }: ReplaySince,
  now: number = Date.now(),
): Promise<Replayed> => {
  const position = cursor === undefined ? undefined : openCursor(cursor, REPLAY_POSITION)
  const [until = '', last] = position?.split(' ') ?? [new Date(now).toISOString()]
  const after = last ?? new Date(since).toISOString()
  const { events, next } = await nextAtRest(unit, endpointId, { after, until, state })
  const replayed = replay(unit, endpointId, events)
  return next === undefined ? { replayed } : { replayed, cursor: toCursor(`${until} ${next}`) }
}

interface Range extends Pick<ReplaySince, 'state'> {
  /** A sort key. */
  after: string
  /** ISO 8601. */
  until: string
}

/** The events of a range that are to be replayed, as many as one call takes; `next`: the sort key to go on after. */
const nextAtRest = async (unit: UnitOfWork, endpointId: string, { after, until, state }: Range) => {
  const events: Item[] = []
  let next: string | undefined = after
  for (let reads = 0; reads < MOST_READS && next !== undefined; reads++) {
    // Of one state they may be far between: as much as a page holds is looked through.
    const read = { after: next, ...(state === undefined && { limit: MOST_REPLAYED }) }
    const page: PartitionPage = await unit.query(eventPartition(endpointId), read)
    for (const item of page.items) {
      if ((item.occurredAt?.S ?? '') > until) return { events, next: undefined }
      if (state === undefined ? isAtRest(item) : item.state?.S === state) events.push(item)
      if (events.length === MOST_REPLAYED) return { events, next: item.sk?.S }
    }
    next = page.next
  }
  return { events, next }
}

const isAtRest = ({ state }: Item): boolean => state?.S !== 'pending'

/** Writes the events' return together with the item that the relay sends them by: neither is without the other. */
const replay = (unit: UnitOfWork, endpointId: string, items: Item[]): number => {
  const events = items.map((item): ReplayedEvent => {
    const { recordId, occurredAt, id } = fromEventItem(item)
    const { state, attempts, nextAttemptAt: _, ...kept } = item
    // The plan begins anew.
    unit.replace({ ...kept, state: { S: 'pending' }, attempts: { N: '0' } }, asRead({ state, attempts }))
    return { ...eventAddress({ endpointId, occurredAt, id }), recordId }
  })
  if (events.length > 0) unit.create(toReplayItem(endpointId, events))
  return events.length
}

/** The attributes that every mark of an attempt changes. */
const asRead = ({ state, attempts }: Partial<Item>): Item => ({
  ...(state && { state }),
  ...(attempts && { attempts }),
})
