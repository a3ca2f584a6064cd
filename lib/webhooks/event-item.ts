/**
 * The stored items of an event for an endpoint: the event with its text and state, its place in a lane while it is
 * pending, and attempts at it.
 */
import { defineItem, type Image, type Stored } from '../store/item.ts'
import { inKey, integer, isoTime, optional, picklist, text } from '../store/item-fields.ts'
import { attemptAddress, eventAddress, eventLane } from '../store/keys.ts'
import { epochSeconds, type Item } from '../store/table.ts'
import type { TableWrite } from '../store/write.ts'

/** Seconds for which events and attempts are kept. */
export const SECONDS_KEPT = 30 * 24 * 60 * 60

/** `held`: the endpoint was disabled when the event happened, or before it was delivered; it waits for a replay. */
const EVENT_STATES = ['pending', 'delivered', 'failed', 'held'] as const
export type EventState = (typeof EVENT_STATES)[number]

interface EventKey {
  endpointId: string
  /** ISO 8601 UTC. */
  occurredAt: string
  /** `webhook-id`: the same for every attempt, replay and repeated dispatch. */
  id: string
}

export const eventItem = defineItem('event', eventAddress as (key: EventKey) => ReturnType<typeof eventAddress>, {
  id: text(),
  type: text(),
  orgId: text(),
  endpointId: text(),
  endpointKind: picklist(['notification', 'webhook']),
  /** Id of the event's record, whose events are sent in order. */
  recordId: text(),
  /** Grows with each event of the record. */
  sequence: integer(),
  /** ISO 8601 UTC. */
  occurredAt: text(),
  /** JSON text. */
  body: text(),
  state: picklist(EVENT_STATES),
  /** Attempts since it last became pending. */
  attempts: integer(),
  /** Start of its retry plan. */
  pendingSince: isoTime(),
  /** ISO 8601 UTC; no attempt before this time. */
  nextAttemptAt: optional(text()),
  /** Epoch seconds; absent while pending, because pending events must not expire. */
  expiresAt: optional(integer()),
})
export type StoredEvent = Stored<typeof eventItem>
export type NewEvent = Omit<StoredEvent, 'state' | 'attempts' | 'pendingSince' | 'nextAttemptAt' | 'expiresAt'>

interface PlaceKey {
  orgId: string
  endpointId: string
  recordId: string
  /** Sequence and id of the event. */
  position: string
}

/** The place of a pending event in its lane. */
export const placeItem = defineItem(
  'pending-event',
  ({ orgId, endpointId, recordId, position }: PlaceKey) => ({
    pk: eventLane(orgId, endpointId, recordId),
    sk: position,
  }),
  { position: inKey('sk', text()), eventId: text(), occurredAt: text() },
)
export type Place = Stored<typeof placeItem>

/**
 * `again` distinguishes the place of a replayed event from earlier ones, whose wake-ups SQS deduplicates for 5 minutes.
 */
const positionOf = ({ sequence, id }: NewEvent, again?: string): string =>
  [String(sequence).padStart(16, '0'), id, ...(again === undefined ? [] : [again])].join('#')

/** The items of an event to deliver from `now` on (ISO 8601 UTC). A replayed event loses its expiry. */
export const pendingItems = (event: NewEvent, now: string, again?: string): { event: Item; place: Item } => ({
  event: eventItem.encode({
    ...event,
    state: 'pending',
    attempts: 0,
    pendingSince: now,
    nextAttemptAt: undefined,
    expiresAt: undefined,
  }),
  place: placeItem.encode({ ...event, position: positionOf(event, again), eventId: event.id }),
})

/** The item of a held event. */
export const heldItem = (event: NewEvent, now: string): Item =>
  eventItem.encode({ ...event, state: 'held', attempts: 0, pendingSince: now, expiresAt: expiryOf(event.occurredAt) })

/**
 * A place that carries its event, because the partitions of the endpoint take no write now. The lane is another
 * partition, which only its record's events write to. Whoever delivers from it writes the event (`carriedEvent`).
 */
export const placeCarrying = (event: NewEvent, now: string): Item => {
  const items = pendingItems(event, now)
  return { ...items.event, ...items.place }
}

/** The item of the event that a place carries; undefined where it carries none. Throws `internal` if it is corrupt. */
export const carriedEvent = (place: Image): Item | undefined =>
  place.body && eventItem.encode(eventItem.decode({ ...place, kind: { S: eventItem.kind } }))

/** Epoch seconds, counted from the time of the event, or from the start of the attempt (ISO 8601). */
export const expiryOf = (time: string): number => epochSeconds(Date.parse(time)) + SECONDS_KEPT

export interface EventChange {
  state: EventState
  attempts: number
  nextAttemptAt?: string | undefined
}

/**
 * The update of an event that was read. State and attempts together detect a concurrent delivery, attempt or replay,
 * and the condition fails for a deleted item, so that the update does not recreate it.
 */
export const eventUpdate = (read: StoredEvent, { state, attempts, nextAttemptAt }: EventChange): TableWrite => {
  const pending = state === 'pending'
  const waits = pending && nextAttemptAt !== undefined
  const kept = pending
    ? { nextAttemptAt }
    : { expiresAt: Math.max(expiryOf(read.occurredAt), epochSeconds() + 24 * 60 * 60) }
  return {
    update: eventItem.addressOf(read),
    change: {
      set: eventItem.attributes({ state, attempts, ...kept }),
      remove: [...(waits ? [] : ['nextAttemptAt']), ...(pending ? ['expiresAt'] : [])],
    },
    condition: { equals: eventItem.attributes({ state: read.state, attempts: read.attempts }) },
  }
}

/** Bytes of a response that the endpoint's owner sees, in UTF-8. */
const RESPONSE_BYTES = 1024

/** Reasons for a missing response. */
export const ATTEMPT_FAILURES = ['address', 'dns', 'connect', 'tls', 'timeout', 'reset', 'response'] as const

const ATTEMPT_OUTCOMES = ['delivered', 'failed'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** One POST of an event to its endpoint, and the response. */
export const attemptItem = defineItem('attempt', attemptAddress, {
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
})
export type Attempt = Stored<typeof attemptItem>

/** The beginning of a response's body that is stored: whole characters. */
export const storedResponse = (body: string): string =>
  // In stream mode the decoder drops an incomplete character.
  new TextDecoder().decode(Buffer.from(body).subarray(0, RESPONSE_BYTES), { stream: true })
