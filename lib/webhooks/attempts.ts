/** The attempt item: one POST of an event to its endpoint, and what came back. Kept 30 days from when it started. */
import * as v from 'valibot'
import type { PostFailure, PostOutcome } from '../delivery/post.ts'
import { number, text } from '../store/attributes.ts'
import type { Address } from '../store/keys.ts'
import { epochSeconds, type Item, toKey } from '../store/table.ts'
import { SECONDS_KEPT } from './event-item.ts'

const ATTEMPT_KIND = 'attempt'

/** What the endpoint's owner is shown of a response, in bytes. */
const RESPONSE_BYTES = 1024

/** What may become of the way to a receiver. */
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

export interface Attempt {
  endpointId: string
  eventId: string
  /** Type of the event. */
  type: string
  /** From 1; a replay starts anew. */
  attempt: number
  /** ISO 8601 UTC; the `webhook-timestamp`. */
  startedAt: string
  /** Of the response, where there was one. */
  status?: number | undefined
  /** What became of the way, where there was no whole response. */
  failure?: PostFailure | undefined
  milliseconds: number
  /** The first 1 KB of the response's body. */
  response: string
  outcome: AttemptOutcome
}

/** All attempts at an endpoint, oldest first. */
export const attemptPartition = (endpointId: string): string => `@endpoint|${endpointId}|attempts`

export const attemptAddress = ({
  endpointId,
  startedAt,
  eventId,
  attempt,
}: Pick<Attempt, 'endpointId' | 'startedAt' | 'eventId' | 'attempt'>): Address => ({
  pk: attemptPartition(endpointId),
  sk: `${startedAt}#${eventId}#${attempt}`,
})

/** The beginning of a text: whole characters, at most `bytes` in UTF-8. */
const beginning = (text: string, bytes: number): string =>
  // As a stream: a character that is cut off waits for its rest, which never comes.
  new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true })

/** What of a POST's outcome is kept. */
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

export const toAttemptItem = (attempt: Attempt): Item => ({
  ...toKey(attemptAddress(attempt)),
  kind: { S: ATTEMPT_KIND },
  endpointId: { S: attempt.endpointId },
  eventId: { S: attempt.eventId },
  type: { S: attempt.type },
  attempt: { N: String(attempt.attempt) },
  startedAt: { S: attempt.startedAt },
  ...(attempt.status === undefined ? {} : { status: { N: String(attempt.status) } }),
  ...(attempt.failure === undefined ? {} : { failure: { S: attempt.failure } }),
  milliseconds: { N: String(attempt.milliseconds) },
  response: { S: attempt.response },
  outcome: { S: attempt.outcome },
  expiresAt: { N: String(epochSeconds(Date.parse(attempt.startedAt)) + SECONDS_KEPT) },
})

const AttemptItem = v.object({
  endpointId: text,
  eventId: text,
  type: text,
  attempt: number,
  startedAt: text,
  status: v.optional(number),
  failure: v.optional(v.pipe(text, v.picklist(ATTEMPT_FAILURES))),
  milliseconds: number,
  response: text,
  outcome: v.pipe(text, v.picklist(ATTEMPT_OUTCOMES)),
})

export const fromAttemptItem = (item: Item): Attempt => v.parse(AttemptItem, item)
