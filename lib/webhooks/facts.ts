/** Derives facts from committed changes of the table. A pure function of the old and the new image of an item. */
import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { isObject } from '../json.ts'
import { deliveryOf, type OutboxItem, outboxItem, outcomeItem } from '../outbox/message-item.ts'
import { pickupMessage } from '../pickup/pickup-item.ts'
import { toBasicMessageJson, withDelivery } from '../records/basic-message.ts'
import { toConnectionJson } from '../records/connection.ts'
import { CREDENTIAL_DEFINITION, toCredentialDefinitionJson } from '../records/credential-definition.ts'
import { revocationOf, toCredentialExchangeJson } from '../records/credential-exchange.ts'
import { toProofJson } from '../records/proof.ts'
import { QUESTION_ANSWER, toQuestionAnswerJson } from '../records/question-answer.ts'
import { type RecordJson, Timestamp } from '../records/record-json.ts'
import type { EventType } from '../records/webhook-event.ts'
import type { Image } from '../store/item.ts'
import { fromRecordItem, type StoredRecord } from '../store/stored-record.ts'
import { type EndedExchange, endOf } from './ended-exchanges.ts'
import { endpointItem, shownInImage } from './endpoint-item.ts'

/** An agent (a tenant's id or BASE_AGENT) of the organization that gets the event, or the organization's endpoint, whose other endpoint gets it. */
type Subject = { tenant: string } | { orgId: string; endpointId: string }

export interface Fact {
  type: EventType
  of: Subject
  recordId: string
  /** Grows with each event of the record: the record's version, or a continuation of it. */
  sequence: number
  previousState?: string
  /** ISO 8601 UTC with milliseconds; the same for a repeated dispatch. */
  occurredAt: string
  /** As the API shows it. */
  record: Record<string, unknown>
  ended?: EndedExchange
  /** `record` is too large for an event and has its ids only. */
  truncated?: true
}

interface Change {
  /** Absent for a new item. */
  before?: Image | undefined
  after: Image
  /** Time of the change in the stream, in epoch seconds. */
  notedAt: number
}

/** The facts of a change, usually none. Throws if an image does not match its kind. */
export const factsOf = ({ eventName, dynamodb }: DynamoDBRecord): Fact[] => {
  const after = dynamodb?.NewImage
  const read = READERS[after?.kind?.S ?? '']
  if (after === undefined || read === undefined) return []
  const before = eventName === 'MODIFY' ? dynamodb?.OldImage : undefined
  return read({ after, before, notedAt: dynamodb?.ApproximateCreationDateTime ?? Number.NaN })
}

/** A record has changed its state or something else that has an event, or a message was received. */
const recordFacts = (change: Change): Fact[] => {
  const [, recordType = ''] = change.after.pk?.S?.split('|') ?? []
  if (recordType === 'BasicMessageRecord') return received(change)
  const events = RECORD_EVENTS[recordType]
  if (events === undefined) return []
  // One event at most: a second one would have the same sequence, and receivers take it for an older one.
  const facts = transition(events.type, events.show, change)
  return facts.length > 0 ? facts : addition(events, change)
}

type Show = (stored: StoredRecord) => RecordJson

interface RecordEvents {
  /** Event of each transition. */
  type: EventType
  /** Form of the record in the API. */
  show: Show
  /** Other events. Each happens when what it reads appears or changes while the state stays. */
  others?: readonly [type: EventType, read: (stored: StoredRecord) => unknown][]
}

const RECORD_EVENTS: Record<string, RecordEvents> = {
  ConnectionRecord: { type: 'connection.state_changed', show: toConnectionJson },
  CredentialRecord: {
    type: 'credential.state_changed',
    show: toCredentialExchangeJson,
    others: [
      ['credential.revocation_published', (stored) => revocationOf(stored)?.state === 'published' || undefined],
      // Once, however often it comes.
      [
        'credential.revocation_notification_received',
        ({ value }) => isObject(value.revocationNotification) || undefined,
      ],
    ],
  },
  ProofRecord: { type: 'proof.state_changed', show: toProofJson },
  [QUESTION_ANSWER]: { type: 'question_answer.state_changed', show: toQuestionAnswerJson },
  [CREDENTIAL_DEFINITION]: {
    type: 'credential_definition.state_changed',
    show: toCredentialDefinitionJson,
    others: [['credential_definition.ledger_objects_added', ({ value }) => value.ledgerObjectsAdded]],
  },
}

const addition = ({ show, others = [] }: RecordEvents, change: Change): Fact[] => {
  if (change.before === undefined || others.length === 0) return []
  const [before, after] = [fromRecordItem(change.before), fromRecordItem(change.after)]
  const happened = others.find(([, read]) => read(after) !== undefined && read(after) !== read(before))
  return happened === undefined ? [] : [recordFact(happened[0], show, change)]
}

/** The first state counts as a transition. A change without a new state does not, unless a received presentation was verified by it. */
const transition = (type: EventType, show: Show, change: Change): Fact[] => {
  const fact = recordFact(type, show, change)
  const previous = change.before === undefined ? undefined : show(fromRecordItem(change.before))
  const previousState = previous?.state
  const { state, isVerified } = fact.record
  if (typeof state !== 'string' || (state === previousState && isVerified === previous?.isVerified)) return []
  const ended = endOf(fromRecordItem(change.after))
  return [
    { ...fact, ...(typeof previousState === 'string' && { previousState }), ...(ended !== undefined && { ended }) },
  ]
}

/** Sent messages are facts of their outbox item: the stream orders the changes of one item, but not those of two items of a transaction. */
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

/** A message was sent: its item is new. A redriven message has attempts, and its event exists. */
const sentFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const item = outboxItem.decode(change.after)
  return item.attempts > 0 ? [] : messageFacts(item, SENT, item.createdAt, change)
}

/** The same for a queued message. */
const queuedFacts = (change: Change): Fact[] => {
  if (change.before !== undefined) return []
  const message = pickupMessage.decodePart(change.after, ['tenant', 'basicMessages', 'createdAt'])
  return messageFacts(message, SENT, message.createdAt, change)
}

const SENT = { type: 'basic_message.sent', sequence: 1 } as const

/**
 * Outcome of a message. The stream does not order two items, so the outcome also implies that the message was sent; an existing event is not written
 * twice. The sequence grows with the attempts.
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

/** The first candidate that is a time, else the time of the change. Throws `internal` if there is neither. */
const timeOf = (candidates: unknown[], { notedAt }: Change): string => {
  const times = candidates.map((candidate) => (v.is(Timestamp, candidate) ? Date.parse(candidate) : Number.NaN))
  const time = [...times, notedAt * 1000].find((ms) => ms >= 0 && ms < END_OF_TIME)
  if (time === undefined) throw new AgentError('internal', 'a change without a time')
  return new Date(time).toISOString()
}
