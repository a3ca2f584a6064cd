/** Schemas of event bodies for both kinds of endpoints, for the OpenAPI document and the tests. */
import * as v from 'valibot'
import { BasicMessageRecord } from '../records/basic-message.ts'
import { CONNECTION_STATES, ConnectionRecord } from '../records/connection.ts'
import { CREDENTIAL_DEFINITION_STATES, CredentialDefinitionRecord } from '../records/credential-definition.ts'
import { CREDENTIAL_STATES, CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { PROOF_STATES, ProofFormData } from '../records/proof.ts'
import { QUESTION_ANSWER_STATES, QuestionAnswerRecord } from '../records/question-answer.ts'
import { Timestamp } from '../records/record-json.ts'
import { BASE_AGENT, EntityId } from '../records/tenant.ts'
import { WEBHOOK_ENDPOINT_STATUSES, WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { ENDPOINT_KINDS, type EventType } from '../records/webhook-event.ts'
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

const CONNECTION: EventContent = {
  record: ConnectionRecord,
  ids: v.strictObject({
    id: Id,
    state: v.picklist(CONNECTION_STATES),
    outOfBandId: v.optional(Id),
    threadId: v.optional(Id),
  }),
  states: CONNECTION_STATES,
}

/** Credential exchanges, proofs and questions. */
const exchange = (record: Schema, states: readonly string[]): EventContent => ({
  record,
  ids: v.strictObject({
    id: Id,
    state: v.picklist(states),
    connectionId: v.optional(Id),
    threadId: v.optional(Id),
  }),
  states,
})

const CREDENTIAL = exchange(CredentialExchangeRecord, CREDENTIAL_STATES)
const PROOF = exchange(ProofFormData, PROOF_STATES)

const QUESTION_ANSWER = exchange(QuestionAnswerRecord, QUESTION_ANSWER_STATES)

const CREDENTIAL_DEFINITION: EventContent = {
  record: CredentialDefinitionRecord,
  ids: v.strictObject({ id: Id, state: v.picklist(CREDENTIAL_DEFINITION_STATES) }),
  states: CREDENTIAL_DEFINITION_STATES,
}

const BASIC_MESSAGE: EventContent = {
  record: BasicMessageRecord,
  ids: v.strictObject({ id: Id, connectionId: v.optional(Id), threadId: v.optional(Id) }),
}

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
  v.description("Whose record it is; `@base`: the base agent's. No tenant's id has an `@`."),
)

const Sequence = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.description('Grows from one event of a record to its next, not always by one.'),
)

const previousState = (states: readonly string[]) =>
  v.optional(v.pipe(v.picklist(states), v.description('Absent where the record is new.')))

const Truncated = v.pipe(
  v.literal(true),
  v.description('The record is too large for an event: these are its ids, with which it can be fetched.'),
)

const HappenedAt = v.pipe(Timestamp, v.description('When it happened; `webhook-timestamp` is when it is posted.'))

const eventBody = (type: EventType, { states, tenant }: EventContent, shown: v.ObjectEntries) => {
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

const bodies = (type: EventType, summary: string, content: EventContent): EventBodies => ({
  summary,
  webhook: v.union([
    eventBody(type, content, { record: content.record }),
    eventBody(type, content, { truncated: Truncated, record: content.ids }),
  ]),
  notification: eventBody(type, content, { record: content.ids }),
})

const SUMMARIES: Record<EventType, [summary: string, content: EventContent]> = {
  'connection.state_changed': ['A connection has come to another state', CONNECTION],
  'credential.state_changed': ['A credential exchange has come to another state', CREDENTIAL],
  'proof.state_changed': ['A proof has come to another state', PROOF],
  'question_answer.state_changed': ['A question was asked, or answered', QUESTION_ANSWER],
  'credential_definition.state_changed': [
    'A credential definition has come to another state: its keys are made, or it has failed',
    CREDENTIAL_DEFINITION,
  ],
  'basic_message.received': ['A basic message has come in', BASIC_MESSAGE],
  'basic_message.sent': ['A basic message is on its way to the wallet', BASIC_MESSAGE],
  'basic_message.delivered': ['The wallet has taken a basic message', BASIC_MESSAGE],
  'basic_message.failed': ['A basic message was given up: the wallet took none of the attempts', BASIC_MESSAGE],
  'endpoint.disabled': ["The organization's other endpoint was disabled", ENDPOINT],
  'endpoint.test': ['The organization asked for a test', ENDPOINT],
}

/** The bodies of an event of this type. */
export const eventBodies = (type: EventType): EventBodies => bodies(type, ...SUMMARIES[type])
