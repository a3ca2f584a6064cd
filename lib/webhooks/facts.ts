/** Derives facts from committed changes of the table. A pure function of the old and the new image of an item. */

import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { deliveryOf, type OutboxItem, outboxItem, outcomeItem } from '../outbox/message-item.ts'
import { pickupMessage } from '../pickup/pickup-item.ts'
import { isStateChange } from '../records/define-record.ts'
import { withDelivery } from '../records/delivery.ts'
import { recordsOf } from '../records/kinds.ts'
import { Timestamp } from '../records/record-json.ts'
import type { Image } from '../store/item.ts'
import { fromRecordItem } from '../store/stored-record.ts'
import { type EndedExchange, endOf } from './ended-exchanges.ts'
import { endpointItem, shownInImage } from './endpoint-item.ts'

/**
 * An agent (a tenant's id or BASE_AGENT) of the organization that gets the event, or the organization's endpoint, whose
 * other endpoint gets it.
 */
type Subject = { tenant: string } | { orgId: string; endpointId: string }

export interface Fact {
  type: string
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

/** A record was added or has changed. */
const recordFacts = (change: Change): Fact[] => {
  const [, recordType = ''] = change.after.pk?.S?.split('|') ?? []
  const kind = recordsOf(recordType)
  if (kind?.events === undefined) return []
  const [stored, previous] = [fromRecordItem(change.after), change.before && fromRecordItem(change.before)]
  const [record, before] = [kind.view(stored), previous && kind.view(previous)]
  const event = Object.entries(kind.events).find(([, { isChange }]) => isChange?.(record, before))
  if (event === undefined) return []
  const [type, { isChange }] = event
  const fact = {
    type,
    of: { tenant: stored.tenant },
    recordId: stored.id,
    sequence: stored.version,
    occurredAt: timeOf([record.updatedAt, record.createdAt], change),
    record,
  }
  if (isChange !== isStateChange) return [fact]
  const ended = endOf(stored)
  const previousState = before?.state
  return [
    { ...fact, ...(typeof previousState === 'string' && { previousState }), ...(ended !== undefined && { ended }) },
  ]
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
 * Outcome of a message. The stream does not order two items, so the outcome also implies that the message was sent; an
 * existing event is not written twice. The sequence grows with the attempts.
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
