/** Which events a committed change is: a pure function of the old and the new image of an item of the table. */
import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { OUTBOX_KIND, SentBasicMessage } from '../delivery/outbox-item.ts'
import { toBasicMessageJson } from '../records/basic-message.ts'
import { toConnectionJson } from '../records/connection.ts'
import { toCredentialExchangeJson } from '../records/credential-exchange.ts'
import { toProofJson } from '../records/proof.ts'
import { type RecordJson, Timestamp } from '../records/record-json.ts'
import type { EventType } from '../records/webhook-event.ts'
import { fromRecordItem, type StoredRecord } from '../store/stored-record.ts'
import { disabledEndpoint } from './endpoint-image.ts'

/** Something that happened, whoever hears of it. */
export interface Fact {
  type: EventType
  /**
   * Whose organization hears of it: that of an agent (a tenant's id or BASE_AGENT), or the one that has an endpoint,
   * and then with its other endpoint.
   */
  of: { tenant: string } | { orgId: string; endpointId: string }
  recordId: string
  /** Grows with each event of the record: the record's version, or what counts on from it. */
  sequence: number
  previousState?: string
  /** ISO 8601 UTC with milliseconds; the same however often the change is relayed. */
  occurredAt: string
  /** As the API shows it. */
  record: Record<string, unknown>
  /** `record` is too large for an event: it has only its ids. */
  truncated?: true
}

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>

interface Change {
  /** Absent for an item that is new. */
  before?: Image | undefined
  after: Image
  /** When the stream noted it, to the second. */
  notedAt: Date
}

const Text = v.object({ S: v.string() })
const Count = v.object({ N: v.pipe(v.string(), v.digits()) })

const RecordImage = v.object({ pk: Text, value: Text, tags: Text, version: Count })

/** Record types whose changes of state are events. */
const STATE_EVENTS: Record<string, { type: EventType; show: (stored: StoredRecord) => RecordJson }> = {
  ConnectionRecord: { type: 'connection.state_changed', show: toConnectionJson },
  CredentialRecord: { type: 'credential.state_changed', show: toCredentialExchangeJson },
  ProofRecord: { type: 'proof.state_changed', show: toProofJson },
}

/** ISO 8601 with milliseconds of the first that is a time. */
const timeOf = (candidates: unknown[], { notedAt }: Change): string =>
  new Date(candidates.find((candidate) => v.is(Timestamp, candidate)) ?? notedAt).toISOString()

const stateOf = ({ state }: RecordJson): string | undefined => (typeof state === 'string' ? state : undefined)

const readRecord = (image: Image): StoredRecord => fromRecordItem(v.parse(RecordImage, image))

/** Every transition is an event, the first state too; a change that leaves the state as it was is none. */
const recordFacts = (change: Change): Fact[] => {
  const [, recordType = ''] = change.after.pk?.S?.split('|') ?? []
  const stateEvent = STATE_EVENTS[recordType]
  if (stateEvent === undefined && !(recordType === 'BasicMessageRecord' && change.before === undefined)) return []
  const { show, type } = stateEvent ?? { show: toBasicMessageJson, type: 'basic_message.received' }
  const stored = readRecord(change.after)
  const record = show(stored)
  const fact: Fact = {
    type,
    of: { tenant: stored.tenant },
    recordId: stored.id,
    sequence: stored.version,
    occurredAt: timeOf([record.updatedAt, record.createdAt], change),
    record,
  }
  // A message that was sent is told of by its outbox item, whose changes are in one order with those of its delivery.
  if (stateEvent === undefined) return record.role === 'receiver' ? [fact] : []
  const previousState = change.before === undefined ? undefined : stateOf(show(readRecord(change.before)))
  if (stateOf(record) === undefined || stateOf(record) === previousState) return []
  return [previousState === undefined ? fact : { ...fact, previousState }]
}

const OutboxImage = v.object({
  tenant: Text,
  state: Text,
  attempts: Count,
  createdAt: v.optional(Text),
  deliveredAt: v.optional(Text),
  basicMessages: v.object({ S: v.pipe(v.string(), v.parseJson(), v.array(SentBasicMessage)) }),
})

/** What the states of an outbox item are to the basic messages in it. */
const MESSAGE_EVENTS: Record<string, EventType> = {
  pending: 'basic_message.sent',
  delivered: 'basic_message.delivered',
  failed: 'basic_message.failed',
}

/** A message that is tried anew after it had failed is no event before it is delivered, or has failed again. */
const messageFacts = (change: Change): Fact[] => {
  if (change.after.basicMessages === undefined || change.before?.state?.S === change.after.state?.S) return []
  const { tenant, state, attempts, createdAt, deliveredAt, basicMessages } = v.parse(OutboxImage, change.after)
  const type = MESSAGE_EVENTS[state.S]
  const isNew = change.before === undefined
  if (type === undefined || isNew !== (type === 'basic_message.sent')) return []
  const times = { pending: createdAt, delivered: deliveredAt, failed: undefined }[state.S]
  return basicMessages.S.map(({ record, truncated }) => ({
    type,
    of: { tenant: tenant.S },
    recordId: record.id,
    sequence: 1 + Number(attempts.N),
    occurredAt: timeOf([times?.S], change),
    record,
    ...(truncated && { truncated }),
  }))
}

const endpointFacts = (change: Change): Fact[] => {
  const disabled = disabledEndpoint(change.before, change.after)
  if (disabled === undefined) return []
  const { record, previousState, version } = disabled
  return [
    {
      type: 'endpoint.disabled',
      of: { orgId: record.orgId, endpointId: record.id },
      recordId: record.id,
      sequence: version,
      previousState,
      occurredAt: timeOf([record.disabledAt, record.updatedAt], change),
      record: { ...record },
    },
  ]
}

const FACTS: Record<string, (change: Change) => Fact[]> = {
  record: recordFacts,
  [OUTBOX_KIND]: messageFacts,
  registration: endpointFacts,
}

/** The events that a change of the table is; mostly none. Throws where an image is not what its kind says. */
export const factsOf = ({ eventName, dynamodb = {} }: DynamoDBRecord): Fact[] => {
  const { NewImage: after, OldImage: before, ApproximateCreationDateTime: noted = 0 } = dynamodb
  const facts = FACTS[after?.kind?.S ?? '']
  if (after === undefined || facts === undefined || eventName === 'REMOVE') return []
  return facts({ after, before: eventName === 'MODIFY' ? before : undefined, notedAt: new Date(noted * 1000) })
}
