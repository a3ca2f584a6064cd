/** Schemas of event bodies for both kinds of endpoints, for the OpenAPI document and the tests. */
import * as v from 'valibot'
import { isStateChange } from '../records/define-record.ts'
import { Timestamp } from '../records/record-json.ts'
import { type ObjectSchema, SHOWN_RECORDS } from '../records/shown-records.ts'
import { BASE_AGENT, EntityId } from '../records/tenant.ts'
import { WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { ID_FIELDS } from '../records/webhook-event.ts'
import type { Schema } from './contract.ts'

/** How a kind of record is shown in events. */
interface EventContent {
  /** For webhook endpoints: the record, as the API returns it. */
  record: Schema
  /** For notification endpoints, and for records that are too large. */
  ids: Schema
  /** Its state; absent: the event is not a change of state. */
  state?: Schema | undefined
  /** Endpoints belong to an organization, not to a tenant. */
  tenant?: false
}

const Id = v.pipe(v.string(), v.maxLength(256))

/** The schema of `idsOf` a record: an id that is too long is left out. */
const idsIn = ({ entries }: ObjectSchema): Schema =>
  v.strictObject<v.ObjectEntries>(
    Object.fromEntries(
      ID_FIELDS.flatMap((name) => {
        const field = entries[name]
        if (field === undefined) return []
        return [[name, name === 'id' ? Id : field.type === 'picklist' ? field : v.optional(Id)]]
      }),
    ),
  )

const ENDPOINT: EventContent = {
  record: WebhookEndpoint,
  ids: idsIn(WebhookEndpoint),
  state: WebhookEndpoint.entries.status,
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

const previousState = (state: Schema) => v.optional(v.pipe(state, v.description('Absent if the record is new.')))

const Truncated = v.pipe(v.literal(true), v.description('The record is too large for an event: fetch it by these ids.'))

const HappenedAt = v.pipe(Timestamp, v.description('When it happened; `webhook-timestamp` is when it is posted.'))

const eventBody = (type: string, { state, tenant }: EventContent, shown: v.ObjectEntries) => {
  const data: v.ObjectEntries = {
    orgId: EntityId,
    ...(tenant === false ? {} : { tenantId: TenantId }),
    sequence: Sequence,
    ...(state === undefined ? {} : { previousState: previousState(state) }),
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

/** A deleted record has no content. */
const deletedContent = ({ entries: { state = v.string() } }: ObjectSchema): EventContent => {
  const record = v.strictObject({ id: EntityId, state, by: v.literal('call') })
  return { record, ids: idsIn(record) }
}

const EVENTS: Record<string, EventBodies> = Object.fromEntries([
  ...SHOWN_RECORDS.flatMap(({ events = {}, deletedEvent, schema }) => [
    ...Object.entries(events).map(([type, { summary, isChange }]) => {
      const state = isChange === isStateChange ? schema.entries.state : undefined
      return [type, bodies(type, summary, { record: schema, ids: idsIn(schema), state })]
    }),
    ...(deletedEvent === undefined
      ? []
      : [[deletedEvent.type, bodies(deletedEvent.type, deletedEvent.summary, deletedContent(schema))]]),
  ]),
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
