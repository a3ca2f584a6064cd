/** The attempt item: one POST of an event to its endpoint, and the response. Kept for 30 days. */
import type { PostFailure, PostOutcome } from '../egress/post.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { integer, optional, picklist, text } from '../store/item-fields.ts'
import { attemptAddress } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import { SECONDS_KEPT } from './event-item.ts'

/** Bytes of a response that the endpoint's owner sees. */
const RESPONSE_BYTES = 1024

/** Reasons for a missing response. */
export const ATTEMPT_FAILURES = [
  'address',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'response',
] as const satisfies PostFailure[]

const ATTEMPT_OUTCOMES = ['delivered', 'failed'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

export const attemptItem = defineItem('attempt', attemptAddress, {
  endpointId: text(),
  eventId: text(),
  /** Type of the event. */
  type: text(),
  /** Starts at 1, also for a replay. */
  attempt: integer(),
  /** ISO 8601 UTC; the `webhook-timestamp`. */
  startedAt: text(),
  /** Status of the response, if any. */
  status: optional(integer()),
  /** If there was no complete response. */
  failure: optional(picklist(ATTEMPT_FAILURES)),
  milliseconds: integer(),
  /** The first 1 KB of the response's body. */
  response: text(),
  outcome: picklist(ATTEMPT_OUTCOMES),
  expiresAt: integer(),
})
export type Attempt = Stored<typeof attemptItem>

/** The beginning of a text: whole characters, at most `bytes` in UTF-8. */
const beginning = (text: string, bytes: number): string =>
  // In stream mode the decoder drops an incomplete character.
  new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true })

/** The fields of an attempt from the outcome of its POST. */
export const attemptOutcome = (
  { status, failure, milliseconds, body }: PostOutcome,
  taken: boolean,
): Pick<Attempt, 'status' | 'failure' | 'milliseconds' | 'response' | 'outcome'> => ({
  status,
  failure,
  milliseconds,
  response: beginning(body, RESPONSE_BYTES),
  outcome: taken ? 'delivered' : 'failed',
})

/** Expiry of an attempt (epoch seconds) by its start (ISO 8601). */
export const attemptExpiry = (startedAt: string): number => epochSeconds(Date.parse(startedAt)) + SECONDS_KEPT
