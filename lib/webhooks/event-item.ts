/**
 * The stored items of an event for an endpoint: in the lane of its record while it is pending, in the list of its
 * endpoint when it is at rest (not pending); and its attempts.
 */

import * as v from 'valibot'
import { eventLane } from '../outbox/wake-ups/index.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { inKey, integer, isoTime, json, keyPart, optional, packedText, picklist, text } from '../store/item-fields.ts'
import { address, shardOf } from '../store/keys.ts'
import { epochSeconds, type Item } from '../store/table.ts'

/** Seconds for which events and attempts are stored. */
export const EVENT_EXPIRY_SECONDS = 30 * 24 * 60 * 60

const EVENT = {
  type: text(),
  /** Grows with each event of the record. */
  sequence: integer(),
  /** The JSON text that is signed and sent, unchanged. */
  body: packedText(),
  /** Attempts since it last became pending. */
  attempts: integer(),
}

interface PendingKey {
  orgId: string
  endpointId: string
  recordId: string
  /** Sequence and id of the event. */
  position: string
}

/** A pending event in its lane. It does not expire. */
export const pendingEventItem = defineItem(
  'pending-event',
  ({ orgId, endpointId, recordId, position }: PendingKey) => ({
    pk: eventLane(orgId, endpointId, recordId),
    sk: position,
  }),
  {
    ...EVENT,
    orgId: keyPart('pk', '|', 1),
    endpointId: keyPart('pk', '|', 2),
    /** Id of the event's record, whose events are sent in order. */
    recordId: keyPart('pk', '|', 3),
    position: inKey('sk', text()),
    /** `webhook-id`: the same for every attempt, replay and repeated dispatch. */
    id: keyPart('sk', '#', 1),
    /** ISO 8601 UTC. */
    occurredAt: text(),
    /** Start of its retry plan. */
    pendingSince: isoTime(),
  },
  'expiry',
)
export type PendingEvent = Stored<typeof pendingEventItem>
export type NewEvent = Omit<PendingEvent, 'position' | 'attempts' | 'pendingSince'>

/** `held`: the endpoint was disabled when the event happened, or before it was delivered; it waits for a replay. */
const EVENT_STATES = ['pending', 'delivered', 'failed', 'held'] as const
export type EventState = (typeof EVENT_STATES)[number]

/** The response to an attempt. */
const Response = v.object({
  /** ISO 8601 UTC; the `webhook-timestamp`. */
  startedAt: v.string(),
  /** Status of the response, if any. */
  status: v.optional(v.pipe(v.number(), v.integer())),
  milliseconds: v.pipe(v.number(), v.integer()),
  /** The first 1 KB of the response's body. */
  response: v.string(),
})

/** The list of an endpoint is sharded, because a partition takes at most 1,000 writes a second. */
const ENDPOINT_SHARDS = 8

/** Partitions of an endpoint's events at rest, and of their attempts, sorted by time. */
export const eventPartitions = (endpointId: string): string[] =>
  Array.from({ length: ENDPOINT_SHARDS }, (_, shard) => `@endpoint|${endpointId}|events|${shard}`)

/** The partition of an event and of its attempts. */
const eventPartition = (endpointId: string, id: string): string =>
  eventPartitions(endpointId)[shardOf(id, ENDPOINT_SHARDS)] ?? ''

interface EventKey {
  endpointId: string
  occurredAt: string
  id: string
}

/** An event at rest, or one that is pending after a failed attempt or by a replay. */
export const eventItem = defineItem(
  'event',
  ({ endpointId, occurredAt, id }: EventKey) => address(eventPartition(endpointId, id), `${occurredAt}#${id}`),
  {
    ...EVENT,
    orgId: text(),
    endpointId: keyPart('pk', '|', 1),
    recordId: text(),
    occurredAt: keyPart('sk', '#', 0),
    id: keyPart('sk', '#', 1),
    state: picklist(EVENT_STATES),
    /** Position in its lane; only while it is pending. */
    position: optional(text()),
    /** The attempt that delivered it first, if that has no separate item. A replay keeps it. */
    delivery: optional(json(Response)),
    /** Epoch seconds; absent while pending, because pending events must not expire. */
    expiresAt: optional(integer()),
  },
  { registration: ({ id }) => eventPartitions(id) },
)
export type StoredEvent = Stored<typeof eventItem>

/** `again` distinguishes a replayed event from earlier ones, whose wake-ups SQS deduplicates for 5 minutes. */
const positionOf = ({ sequence, id }: NewEvent, again?: string): string =>
  [String(sequence).padStart(16, '0'), id, ...(again === undefined ? [] : [again])].join('#')

/** An event to deliver from `now` on (ISO 8601 UTC). */
export const pendingEvent = (event: NewEvent, now: string, again?: string): PendingEvent => ({
  ...event,
  position: positionOf(event, again),
  attempts: 0,
  pendingSince: now,
})

/** The item of a held event that was never pending. */
export const heldItem = (event: NewEvent): Item => restingItem({ ...event, attempts: 0 }, 'held')

/**
 * Whether a pending event must be sent, by its item in the list of its endpoint. A repeated dispatch may have put a
 * delivered event into its lane again.
 */
export const mustSend = ({ position }: PendingEvent, stored: Pick<StoredEvent, 'state' | 'position'> | undefined) =>
  stored === undefined || (stored.state === 'pending' && stored.position === position)

/** The item of an event in the list of its endpoint while it is in its lane. */
export const listedItem = (event: PendingEvent): Item => eventItem.encode({ ...event, state: 'pending' })

/** The item of an event at rest. `delivery`: its only attempt, whose response is stored with it. */
export const restingItem = (
  event: NewEvent & Pick<StoredEvent, 'attempts'>,
  state: Exclude<EventState, 'pending'>,
  delivery?: StoredEvent['delivery'],
): Item => {
  const expiresAt = Math.max(expiryOf(event.occurredAt), epochSeconds() + 24 * 60 * 60)
  const response = delivery && v.parse(Response, delivery)
  return eventItem.encode({ ...event, position: undefined, state, delivery: response, expiresAt })
}

/** Epoch seconds, counted from the time of the event, or from the start of the attempt (ISO 8601). */
export const expiryOf = (time: string): number => epochSeconds(Date.parse(time)) + EVENT_EXPIRY_SECONDS

/** Bytes of a response that the endpoint's owner sees, in UTF-8. */
const RESPONSE_BYTES = 1024

/** Reasons for a missing response. */
const ATTEMPT_FAILURES = ['address', 'dns', 'connect', 'tls', 'timeout', 'reset', 'response'] as const

const ATTEMPT_OUTCOMES = ['delivered', 'failed'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

interface AttemptKey {
  endpointId: string
  startedAt: string
  eventId: string
  attempt: number
}

/** One POST of an event to its endpoint, and the response. */
export const attemptItem = defineItem(
  'attempt',
  ({ endpointId, startedAt, eventId, attempt }: AttemptKey) =>
    address(eventPartition(endpointId, eventId), `${startedAt}#${eventId}#${attempt}`),
  {
    endpointId: text(),
    eventId: text(),
    /** Type of the event. */
    type: text(),
    /** Starts at 1, also for a replay. */
    attempt: integer(),
    /** ISO 8601 UTC; the `webhook-timestamp`. */
    startedAt: text(),
    /** Status of the response, if any. */
    status: optional(integer()),
    /** If there was no complete response. */
    failure: optional(picklist(ATTEMPT_FAILURES)),
    milliseconds: integer(),
    /** The first 1 KB of the response's body. */
    response: text(),
    outcome: picklist(ATTEMPT_OUTCOMES),
    expiresAt: integer(),
  },
  { registration: ({ id }) => eventPartitions(id) },
)
export type Attempt = Stored<typeof attemptItem>

/**
 * An attempt that begins within this time (ms) of its event is listed at the time of the event, without a separate
 * item.
 */
const LISTED_WITH_EVENT_MS = 5_000

/** Whether a successful attempt is stored in the item of its event. */
export const isStoredWithEvent = ({ attempt, startedAt }: Attempt, { occurredAt }: PendingEvent): boolean =>
  attempt === 1 && Date.parse(startedAt) - Date.parse(occurredAt) < LISTED_WITH_EVENT_MS

export type ListedAttempt = Omit<Attempt, 'endpointId' | 'expiresAt'>

/** The attempt of an item in an endpoint's list; undefined for an event whose attempts have separate items. */
export const listedAttempt = (item: Item): ListedAttempt | undefined => {
  if (attemptItem.is(item)) return attemptItem.decode(item)
  const { id: eventId, type, delivery } = eventItem.decode(item)
  return delivery && { eventId, type, attempt: 1, outcome: 'delivered', ...delivery }
}

/** The beginning of a response's body that is stored: whole characters. */
export const storedResponse = (body: string): string =>
  // In stream mode the decoder drops an incomplete character.
  new TextDecoder().decode(Buffer.from(body).subarray(0, RESPONSE_BYTES), { stream: true })
