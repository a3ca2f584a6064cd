/** Facts: what has happened by a committed change of the table. A pure function of the old and the new image of an item. */
import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { deliveryOf, type OutboxItem, outboxItem, outcomeItem } from '../outbox/message-item.ts'
import { pickupMessage } from '../pickup/pickup-item.ts'
import { toBasicMessageJson, withDelivery } from '../records/basic-message.ts'
import { toConnectionJson } from '../records/connection.ts'
import { CREDENTIAL_DEFINITION, toCredentialDefinitionJson } from '../records/credential-definition.ts'
import { toCredentialExchangeJson } from '../records/credential-exchange.ts'
import { toProofJson } from '../records/proof.ts'
import { QUESTION_ANSWER, toQuestionAnswerJson } from '../records/question-answer.ts'
import { type RecordJson, Timestamp } from '../records/record-json.ts'
import type { EventType } from '../records/webhook-event.ts'
import type { Image } from '../store/item.ts'
import { fromRecordItem, type StoredRecord } from '../store/stored-record.ts'
import { endOf } from './ended-exchanges.ts'
import { endpointItem, shownInImage } from './endpoint-item.ts'

/** The organization of an agent (a tenant's id or BASE_AGENT), or the one that has an endpoint: its other endpoint gets the event. */
type Subject = { tenant: string } | { orgId: string; endpointId: string }

export interface Fact {
  type: EventType
  of: Subject
  recordId: string
  /** Grows with each event of the record: the record's version, or what counts on from it. */
  sequence: number
  previousState?: string
  /** ISO 8601 UTC with milliseconds; the same however often the change is dispatched. */
  occurredAt: string
  /** As the API shows it. */
  record: Record<string, unknown>
  /** Of an exchange that has come to its end: its format and final state. */
  ended?: { format: string; state: string }
  /** `record` is too large for an event: it has its ids only. */
  truncated?: true
}

interface Change {
  /** Absent for an item that is new. */
  before?: Image | undefined
  after: Image
  /** When the stream noted it, in seconds since the epoch. */
  notedAt: number
}

/** The facts of a change, mostly none. Throws where an image is not what its kind says. */
export const factsOf = ({ eventName, dynamodb }: DynamoDBRecord): Fact[] => {
  const after = dynamodb?.NewImage
  const read = READERS[after?.kind?.S ?? '']
  if (after === undefined || read === undefined) return []
  const before = eventName === 'MODIFY' ? dynamodb?.OldImage : undefined
  return read({ after, before, notedAt: dynamodb?.ApproximateCreationDateTime ?? Number.NaN })
}

/** A record has come to a state, or a message has come in. */
const recordFacts = (change: Change): Fact[] => {
  const [, recordType = ''] = change.after.pk?.S?.split('|') ?? []
  if (recordType === 'BasicMessageRecord') return received(change)
  const states = STATES[recordType]
  return states === undefined ? [] : transition(states.type, states.show, change)
}

type Show = (stored: StoredRecord) => RecordJson

/** Record types whose every transition is an event, and how the API shows them. */
const STATES: Record<string, { type: EventType; show: Show }> = {
  ConnectionRecord: { type: 'connection.state_changed', show: toConnectionJson },
  CredentialRecord: { type: 'credential.state_changed', show: toCredentialExchangeJson },
  ProofRecord: { type: 'proof.state_changed', show: toProofJson },
  [QUESTION_ANSWER]: { type: 'question_answer.state_changed', show: toQuestionAnswerJson },
  [CREDENTIAL_DEFINITION]: { type: 'credential_definition.state_changed', show: toCredentialDefinitionJson },
}

/** The first state is a transition too; a change that leaves the state as it was is none. */
const transition = (type: EventType, show: Show, change: Change): Fact[] => {
  const fact = recordFact(type, show, change)
  const previousState = change.before === undefined ? undefined : show(fromRecordItem(change.before)).state
  if (typeof fact.record.state !== 'string' || fact.record.state === previousState) return []
  const ended = endOf(fromRecordItem(change.after))
  return [
    { ...fact, ...(typeof previousState === 'string' && { previousState }), ...(ended !== undefined && { ended }) },
  ]
}

/** A message that was sent is a fact of its outbox item: the stream orders that one's changes, but not those of two items of a transaction. */
const received = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const fact = recordFact('basic_message.received', toBasicMessageJson, change)
  return fact.record.role === 'receiver' ? [fact] : []
}

const recordFact = (type: EventType, show: Show, change: Change): Fact => {
  const stored = fromRecordItem(change.after)
  const record = show(stored)
  return {
    type,
    of: { tenant: stored.tenant },
    recordId: stored.id,
    sequence: stored.version,
    occurredAt: timeOf([record.updatedAt, record.createdAt], change),
    record,
  }
}

/** A message was sent: its item is new. One that was redriven has attempts already, and its event exists. */
const sentFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const item = outboxItem.decode(change.after)
  return item.attempts > 0 ? [] : messageFacts(item, SENT, item.createdAt, change)
}

/** The same of one that waits to be fetched. */
const queuedFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const message = pickupMessage.decodePart(change.after, ['tenant', 'basicMessages', 'createdAt'])
  return messageFacts(message, SENT, message.createdAt, change)
}

const SENT = { type: 'basic_message.sent', sequence: 1 } as const

/**
 * What became of a message. The stream promises no order of two items: so the outcome says also that the message was sent, and an event
 * that is there already is not written twice. The sequence grows with the attempts.
 */
const outcomeFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const outcome = outcomeItem.decode(change.after)
  const ended = { type: `basic_message.${outcome.state}`, sequence: Math.max(2, 1 + outcome.attempts) } as const
  return [
    ...messageFacts(outcome, SENT, outcome.createdAt, change),
    ...messageFacts(outcome, ended, outcome.endedAt, change).map((fact) =>
      fact.truncated ? fact : { ...fact, record: withDelivery(fact.record, deliveryOf(outcome)) },
    ),
  ]
}

const messageFacts = (
  { tenant, basicMessages = [] }: Pick<OutboxItem, 'tenant' | 'basicMessages'>,
  fact: Pick<Fact, 'type' | 'sequence'>,
  at: string,
  change: Change,
): Fact[] =>
  basicMessages.map(({ record, truncated }) => ({
    ...fact,
    of: { tenant },
    recordId: record.id,
    occurredAt: timeOf([at], change),
    record,
    ...(truncated && { truncated }),
  }))

/** An endpoint was disabled. */
const endpointFacts = (change: Change): Fact[] => {
  const { before, after } = change
  const previousState = before?.status?.S
  if (after.status?.S !== 'disabled' || previousState === 'disabled') return []
  const { version, ...record } = shownInImage(after)
  return [
    {
      type: 'endpoint.disabled',
      of: { orgId: record.orgId, endpointId: record.id },
      recordId: record.id,
      sequence: version,
      ...(previousState !== undefined && { previousState }),
      occurredAt: timeOf([record.disabledAt, record.updatedAt], change),
      record,
    },
  ]
}

/** By the `kind` of the item. */
const READERS: Record<string, (change: Change) => Fact[]> = {
  record: recordFacts,
  [outboxItem.kind]: sentFacts,
  [pickupMessage.kind]: queuedFacts,
  [outcomeItem.kind]: outcomeFacts,
  [endpointItem.kind]: endpointFacts,
}

/** Ids of events have 48 bits for the ms since the epoch. */
const END_OF_TIME = 2 ** 48

/** The first of the candidates that is a time, else when the change was noted. Throws `internal` where there is neither. */
const timeOf = (candidates: unknown[], { notedAt }: Change): string => {
  const times = candidates.map((candidate) => (v.is(Timestamp, candidate) ? Date.parse(candidate) : Number.NaN))
  const time = [...times, notedAt * 1000].find((ms) => ms >= 0 && ms < END_OF_TIME)
  if (time === undefined) throw new AgentError('internal', 'a change without a time')
  return new Date(time).toISOString()
}
