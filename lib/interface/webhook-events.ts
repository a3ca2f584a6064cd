/** Schemas of event bodies for both kinds of endpoints, for the OpenAPI document and the tests. */
import * as v from 'valibot'
import { RECORDS } from '../records/all.ts'
import { isStateChange, type RecordDefinition } from '../records/define-record.ts'
import { Timestamp } from '../records/record-json.ts'
import { BASE_AGENT, EntityId } from '../records/tenant.ts'
import { WEBHOOK_ENDPOINT_STATUSES, WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { ENDPOINT_KINDS } from '../records/webhook-event.ts'
import type { Schema } from './contract.ts'

/** How a kind of record is shown in events. */
interface EventContent {
  /** For webhook endpoints: the record, as the API returns it. */
  record: Schema
  /** For notification endpoints, and for records that are too large. */
  ids: Schema
  /** Values of `previousState`. */
  states?: readonly string[]
  /** Endpoints belong to an organization, not to a tenant. */
  tenant?: false
}

const Id = v.pipe(v.string(), v.maxLength(256))

/** How records are shown in their events. An event that is no change of the state has no previous one. */
const contentOf = (
  { schema = v.unknown(), eventSchema = schema, states, ids = [] }: RecordDefinition,
  isOfState: boolean,
): EventContent => ({
  record: eventSchema,
  ids: v.strictObject<v.ObjectEntries>({
    id: Id,
    ...(states && { state: v.picklist(states) }),
    ...Object.fromEntries(ids.map((name) => [name, v.optional(Id)])),
  }),
  ...(isOfState && states && { states }),
})

const ENDPOINT: EventContent = {
  record: WebhookEndpoint,
  ids: v.strictObject({
    id: Id,
    kind: v.picklist(ENDPOINT_KINDS),
    status: v.picklist(WEBHOOK_ENDPOINT_STATUSES),
  }),
  states: WEBHOOK_ENDPOINT_STATUSES,
  tenant: false,
}

const TenantId = v.pipe(
  v.union([EntityId, v.literal(BASE_AGENT)]),
  v.description("The tenant of the record; `@base` is the base agent. No tenant's id contains `@`."),
)

const Sequence = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.description('Grows from one event of a record to its next, not always by one.'),
)

const previousState = (states: readonly string[]) =>
  v.optional(v.pipe(v.picklist(states), v.description('Absent if the record is new.')))

const Truncated = v.pipe(
  v.literal(true),
  v.description('The record is too large for an event. Only its ids are here, by which it can be fetched.'),
)

const HappenedAt = v.pipe(Timestamp, v.description('When it happened; `webhook-timestamp` is when it is posted.'))

const eventBody = (type: string, { states, tenant }: EventContent, shown: v.ObjectEntries) => {
  const data: v.ObjectEntries = {
    orgId: EntityId,
    ...(tenant === false ? {} : { tenantId: TenantId }),
    sequence: Sequence,
    ...(states === undefined ? {} : { previousState: previousState(states) }),
    ...shown,
  }
  return v.strictObject({ type: v.literal(type), timestamp: HappenedAt, data: v.strictObject(data) })
}

interface EventBodies {
  summary: string
  /** Body for a webhook endpoint: the record, or its ids if it is too large. */
  webhook: Schema
  /** Body for a notification endpoint: the ids. */
  notification: Schema
}

const bodies = (type: string, summary: string, content: EventContent): EventBodies => ({
  summary,
  webhook: v.union([
    eventBody(type, content, { record: content.record }),
    eventBody(type, content, { truncated: Truncated, record: content.ids }),
  ]),
  notification: eventBody(type, content, { record: content.ids }),
})

const EVENTS: Record<string, EventBodies> = Object.fromEntries([
  ...RECORDS.flatMap((records) =>
    Object.entries(records.events ?? {}).map(([type, { summary, isChange }]) => [
      type,
      bodies(type, summary, contentOf(records, isChange === isStateChange)),
    ]),
  ),
  ...Object.entries({
    'endpoint.disabled': "The organization's other endpoint was disabled",
    'endpoint.test': 'The organization has requested a test event',
  }).map(([type, summary]) => [type, bodies(type, summary, ENDPOINT)]),
])

export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS)

/** The bodies of an event of this type. Throws a TypeError for any other type. */
export const eventBodies = (type: string): EventBodies => {
  const event = EVENTS[type]
  if (event === undefined) throw new TypeError(`no event ${type}`)
  return event
}
