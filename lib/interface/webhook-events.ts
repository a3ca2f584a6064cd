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
/** The same without a step from one state to another. */
const inState = ({ record, ids }: EventContent): EventContent => ({ record, ids })

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
  'connection.state_changed': ['The state of a connection has changed', CONNECTION],
  'credential.state_changed': ['The state of a credential exchange has changed', CREDENTIAL],
  'credential.revocation_published': ['A revocation by the agent is published: verifiers see it', inState(CREDENTIAL)],
  'credential.revocation_notification_received': [
    'The issuer of a held credential has notified the agent of its revocation',
    inState(CREDENTIAL),
  ],
  'proof.state_changed': ['The state of a proof exchange has changed', PROOF],
  'question_answer.state_changed': ['A question was sent, received or answered', QUESTION_ANSWER],
  'credential_definition.state_changed': [
    'The state of a credential definition has changed: its keys are generated, or it has failed',
    CREDENTIAL_DEFINITION,
  ],
  'credential_definition.ledger_objects_added': [
    'An operator has to write an object of a revocation registry to a ledger: the definition has it in `ledgerObjects`',
    inState(CREDENTIAL_DEFINITION),
  ],
  'basic_message.received': ['A basic message was received', BASIC_MESSAGE],
  'basic_message.sent': ['A basic message was created and will be sent to the wallet', BASIC_MESSAGE],
  'basic_message.delivered': ['A basic message was delivered to the wallet', BASIC_MESSAGE],
  'basic_message.failed': ['The delivery of a basic message has failed for good, after all attempts', BASIC_MESSAGE],
  'endpoint.disabled': ["The organization's other endpoint was disabled", ENDPOINT],
  'endpoint.test': ['The organization has requested a test event', ENDPOINT],
}

/** The bodies of an event of this type. */
export const eventBodies = (type: EventType): EventBodies => bodies(type, ...SUMMARIES[type])
