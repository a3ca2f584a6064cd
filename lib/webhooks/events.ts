/**
 * Creates events from facts, for an organization's endpoints. The same fact always gives the same event with the same
 * id.
 */
import { hash } from 'node:crypto'
import { type EndpointKind, idsOf, MAX_BODY_BYTES } from '../records/webhook-event.ts'
import { toUuid } from '../uuid.ts'
import { type Endpoint, type ShownEndpoint, showEndpoint } from './endpoint-item.ts'
import type { EventState, NewEvent } from './event-item.ts'
import type { Fact } from './facts.ts'

/** The fields of an endpoint that decide which events it gets. */
export type Listener = Pick<Endpoint, 'id' | 'orgId' | 'kind' | 'status'>

export interface EventToWrite {
  event: NewEvent
  /** Events of a disabled endpoint are held for a replay. */
  state: Extract<EventState, 'pending' | 'held'>
}

/** The events of a fact: one for each endpoint of the organization, except for the endpoint that the fact is about. */
export const eventsFor = (fact: Fact, endpoints: Listener[]): EventToWrite[] =>
  endpoints
    .filter(({ id }) => !('endpointId' in fact.of) || fact.of.endpointId !== id)
    .map((endpoint) => ({
      event: eventFor(fact, endpoint),
      state: endpoint.status === 'disabled' ? 'held' : 'pending',
    }))

/** A test event; a new one each ms. `occurredAt`: ISO 8601 UTC with milliseconds. */
export const testEvent = (endpoint: ShownEndpoint & Pick<Endpoint, 'version'>, occurredAt: string): NewEvent => {
  const { id, orgId, version } = endpoint
  const of = { orgId, endpointId: id }
  const record = showEndpoint(endpoint)
  return eventFor({ type: 'endpoint.test', of, recordId: id, sequence: version, occurredAt, record }, endpoint)
}

const eventFor = (fact: Fact, { id, orgId, kind }: Listener): NewEvent => ({
  id: idOf(fact, id),
  type: fact.type,
  orgId,
  endpointId: id,
  recordId: fact.recordId,
  sequence: fact.sequence,
  occurredAt: fact.occurredAt,
  body: eventBody(fact, orgId, kind),
})

/**
 * The JSON text for an endpoint: the record for a webhook endpoint, ids and states for a notification endpoint. If the
 * body would be larger than `maxBytes` (UTF-8), the record is replaced by its ids, with `truncated`.
 */
export const eventBody = (fact: Fact, orgId: string, kind: EndpointKind, maxBytes: number = MAX_BODY_BYTES): string => {
  const record = idsOf(fact.record)
  if (kind === 'notification') return bodyOf(fact, orgId, { record })
  const whole = bodyOf(fact, orgId, { record: fact.record })
  return Buffer.byteLength(whole) <= maxBytes ? whole : bodyOf(fact, orgId, { truncated: true, record })
}

/** Standard Webhooks 1.0.0, "Payload structure". */
const bodyOf = ({ type, occurredAt, of, sequence, previousState }: Fact, orgId: string, shown: object): string =>
  JSON.stringify({
    type,
    timestamp: occurredAt,
    data: {
      orgId,
      ...('tenant' in of && { tenantId: of.tenant }),
      sequence,
      previousState,
      ...shown,
    },
  })

const idOf = ({ type, of, recordId, sequence, occurredAt }: Fact, endpointId: string): string =>
  eventIdOf(occurredAt, type, 'tenant' in of ? of.tenant : of.orgId, recordId, String(sequence), endpointId)

/**
 * A UUIDv8 (RFC 9562, section 5.8): 48 bits of `occurredAt` (ISO 8601, in ms) as in version 7, and 74 bits of a SHA-256
 * of `parts`, which distinguish events of the same millisecond.
 */
export const eventIdOf = (occurredAt: string, ...parts: string[]): string => {
  const bytes = Buffer.alloc(16)
  hash('sha256', JSON.stringify(parts), 'buffer').copy(bytes, 6, 0, 10)
  bytes.writeUIntBE(Date.parse(occurredAt), 0, 6)
  return toUuid(bytes, 8)
}

const UUID_V8 = /^([0-9a-f]{8}-[0-9a-f]{4})-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The time in an event's id (ISO 8601 UTC, ms), which is part of the item's key; undefined for any other id. */
export const occurredAtOf = (eventId: string): string | undefined => {
  const [, high] = UUID_V8.exec(eventId) ?? []
  return high && new Date(Number.parseInt(high.replace('-', ''), 16)).toISOString()
}
