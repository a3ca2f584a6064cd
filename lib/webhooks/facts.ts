/** Derives facts from committed changes of the table. A pure function of the old and the new image of an item. */

import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { isStateChange } from '../records/define-record.ts'
import { recordsOf } from '../records/kinds.ts'
import { Timestamp } from '../records/record-json.ts'
import { deletedRecordItem } from '../store/deleted-record.ts'
import type { Image } from '../store/item.ts'
import { fromRecordItem } from '../store/stored-record.ts'
import { type EndedExchange, endOf } from './ended-exchanges.ts'
import { endpointItem, shownInImage } from './endpoint-item.ts'

/**
 * An agent (a tenant's id or BASE_AGENT), whose organization gets the event; or an endpoint, whose organization gets it
 * at its other endpoint.
 */
type Subject = { tenant: string } | { orgId: string; endpointId: string }

export interface Fact {
  type: string
  of: Subject
  recordId: string
  /** Grows with each event of the record: its version. */
  sequence: number
  previousState?: string | undefined
  /** ISO 8601 UTC with milliseconds; the same for a repeated dispatch. */
  occurredAt: string
  /** The record in the representation of the API. */
  record: Record<string, unknown>
  ended?: EndedExchange | undefined
}

interface Change {
  /** Absent for a new item. */
  before?: Image | undefined
  after: Image
  /** Time of the change in the stream, in epoch seconds. */
  changedAt: number
}

/** The facts of a change, usually none. Throws if an image does not match its kind. */
export const factsOf = ({ dynamodb }: DynamoDBRecord): Fact[] => {
  const { NewImage: after, OldImage: before } = dynamodb ?? {}
  const read = READERS[after?.kind?.S ?? '']
  if (after === undefined || read === undefined) return []
  return read({ after, before, changedAt: dynamodb?.ApproximateCreationDateTime ?? Number.NaN })
}

/** A record was added or has changed. */
const recordFacts = (change: Change): Fact[] => {
  const [, recordType = ''] = change.after.pk?.S?.split('|') ?? []
  const kind = recordsOf(recordType)
  if (kind?.events === undefined) return []
  const [stored, previous] = [fromRecordItem(change.after), change.before && fromRecordItem(change.before)]
  const [record, before] = [kind.view(stored), previous && kind.view(previous)]
  const event = Object.entries(kind.events).find(([, { isChange }]) => isChange(record, before))
  if (event === undefined) return []
  const [type, { isChange }] = event
  const fact = {
    type,
    of: { tenant: stored.tenant },
    recordId: stored.id,
    sequence: stored.version,
    occurredAt: timeOf([stored.delivery?.at, record.updatedAt, record.createdAt], change),
    record,
  }
  if (isChange !== isStateChange) return [fact]
  const ended = endOf(stored)
  const previousState = before?.state
  return [{ ...fact, ...(typeof previousState === 'string' && { previousState }), ended }]
}

/** A record was deleted by a call. */
const deletionFacts = (change: Change): Fact[] => {
  const { tenant, type, id, state, version, at } = deletedRecordItem.decode(change.after)
  const event = recordsOf(type)?.deletedEvent
  if (event === undefined) return []
  const record = { id, state, by: 'call' }
  const occurredAt = timeOf([at], change)
  return [{ type: event.type, of: { tenant }, recordId: id, sequence: version, occurredAt, record }]
}

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
      previousState,
      occurredAt: timeOf([record.disabledAt], change),
      record,
    },
  ]
}

/** By the `kind` of the item. */
const READERS: Record<string, (change: Change) => Fact[]> = {
  record: recordFacts,
  [deletedRecordItem.kind]: deletionFacts,
  [endpointItem.kind]: endpointFacts,
}

/** The first candidate that is a time, else the time of the change. Throws `internal` without either. */
const timeOf = (candidates: unknown[], { changedAt: notedAt }: Change): string => {
  const times = candidates.map((candidate) => (v.is(Timestamp, candidate) ? Date.parse(candidate) : Number.NaN))
  const time = [...times, notedAt * 1000].find((ms) => ms >= 0)
  if (time === undefined) throw new AgentError('internal', 'a change without a time')
  return new Date(time).toISOString()
}
