/** A fact: something that happened by a committed change, whoever hears of it; and how its parts are read out of images. */
import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { Timestamp } from '../records/record-json.ts'
import type { EventType } from '../records/webhook-event.ts'

/**
 * Whose organization hears of it: that of an agent (a tenant's id or BASE_AGENT), or the one that has an endpoint, and
 * then by its other endpoint.
 */
type Subject = { tenant: string } | { orgId: string; endpointId: string }

export interface Fact {
  type: EventType
  of: Subject
  recordId: string
  /** Grows with each event of the record: the record's version, or what counts on from it. */
  sequence: number
  previousState?: string
  /** ISO 8601 UTC with milliseconds; the same however often the change is relayed. */
  occurredAt: string
  /** As the API shows it. */
  record: Record<string, unknown>
  /** Of an exchange that has come to its end: what of, and how. */
  ended?: { format: string; state: string }
  /** `record` is too large for an event: it has its ids only. */
  truncated?: true
}

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>

/** What became of an item. */
export interface Change {
  /** Absent for an item that is new. */
  before?: Image | undefined
  after: Image
  /** When the stream noted it, in seconds since the epoch. */
  notedAt: number
}

/** Ids of events have 48 bits for the ms since the epoch. */
const END_OF_TIME = 2 ** 48

/**
 * The first of the candidates that is a time, else when the change was noted. Throws `internal` where there is neither.
 */
export const timeOf = (candidates: unknown[], { notedAt }: Change): string => {
  const told = candidates.map((candidate) => (v.is(Timestamp, candidate) ? Date.parse(candidate) : Number.NaN))
  const time = [...told, notedAt * 1000].find((ms) => ms >= 0 && ms < END_OF_TIME)
  if (time === undefined) throw new AgentError('internal', 'a change without a time')
  return new Date(time).toISOString()
}
