/** The event item: one event for one endpoint, with the very text that is posted, and what became of it. */
import * as v from 'valibot'
import type { RegistrationKind } from '../records/registration.ts'
import { number, text } from '../store/attributes.ts'
import type { Address } from '../store/keys.ts'
import { type Item, toKey } from '../store/table.ts'

/** The stream filter and the relay know event items by this `kind`. */
export const EVENT_KIND = 'event'

/** Events and attempts are kept this long, in seconds. */
export const SECONDS_KEPT = 30 * 24 * 60 * 60

/** `held`: the endpoint was disabled when it happened, or before it was delivered; it waits for a replay. */
const EVENT_STATES = ['pending', 'delivered', 'failed', 'held'] as const
export type EventState = (typeof EVENT_STATES)[number]

export interface NewEvent {
  /** `webhook-id`: the same for every attempt, replay and repeated relay. */
  id: string
  type: string
  orgId: string
  endpointId: string
  endpointKind: RegistrationKind
  /** Id of the record that it tells of; its events go out in order. */
  recordId: string
  /** ISO 8601 UTC. */
  occurredAt: string
  /** JSON text. */
  body: string
}

export interface StoredEvent extends NewEvent {
  state: EventState
  /** Attempts so far. */
  attempts: number
  /** ISO 8601 UTC; nothing is tried before. */
  nextAttemptAt?: string
}

/** All events of an endpoint, oldest first. */
export const eventPartition = (endpointId: string): string => `@endpoint|${endpointId}|events`

export const eventAddress = ({
  endpointId,
  occurredAt,
  id,
}: Pick<NewEvent, 'endpointId' | 'occurredAt' | 'id'>): Address => ({
  pk: eventPartition(endpointId),
  sk: `${occurredAt}#${id}`,
})

/** `expiresAt` counts from when the event occurred. */
export const toEventItem = (event: NewEvent, state: EventState): Item => ({
  ...toKey(eventAddress(event)),
  kind: { S: EVENT_KIND },
  id: { S: event.id },
  type: { S: event.type },
  orgId: { S: event.orgId },
  endpointId: { S: event.endpointId },
  endpointKind: { S: event.endpointKind },
  recordId: { S: event.recordId },
  occurredAt: { S: event.occurredAt },
  body: { S: event.body },
  state: { S: state },
  attempts: { N: '0' },
  expiresAt: { N: String(Math.floor(Date.parse(event.occurredAt) / 1000) + SECONDS_KEPT) },
})

const EventItem = v.object({
  id: text,
  type: text,
  orgId: text,
  endpointId: text,
  endpointKind: v.pipe(text, v.picklist(['notification', 'webhook'])),
  recordId: text,
  occurredAt: text,
  body: text,
  state: v.pipe(text, v.picklist(EVENT_STATES)),
  attempts: number,
  nextAttemptAt: v.optional(text),
})

export const fromEventItem = (item: Item): StoredEvent => {
  const { nextAttemptAt, ...event } = v.parse(EventItem, item)
  return nextAttemptAt === undefined ? event : { ...event, nextAttemptAt }
}
