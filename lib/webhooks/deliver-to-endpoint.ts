/** One delivery to a webhook endpoint: the event is signed and posted, and what came of it is noted. */
import type { Verdict } from '../delivery/deliver-groups.ts'
import { readPointer } from '../delivery/pointer.ts'
import { describeOutcome, isTaken, type Post, type PostOutcome, post } from '../delivery/post.ts'
import { askedDelay } from '../delivery/retry-after.ts'
import { hidingSeconds, nextDelay, WEBHOOK_PLAN } from '../delivery/retry-plan.ts'
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { getItem } from '../store/table.ts'
import { attemptOutcome } from './attempts.ts'
import { type Endpoint, readEndpoint } from './endpoint-item.ts'
import { fromEventItem, type StoredEvent } from './event-item.ts'
import { markHeld } from './event-marks.ts'
import type { AttemptResult } from './health.ts'
import { noteAttempt } from './note-attempt.ts'
import { openSecrets } from './secrets.ts'
import { webhookHeaders } from './signature.ts'
import { secondsWithoutPlace, takePlace } from './waiting-places.ts'

export interface EndpointDelivery {
  /** Body of the queue message. */
  body: string
  /** How often the queue message was received, from 1. */
  receipt: number
  /** Ms since the epoch, and a number in [0, 1). */
  clock: () => number
  random: () => number
  /** For tests. */
  transport?: Pick<Post, 'limits' | 'resolve' | 'authorities'> | undefined
}

/**
 * Delivers the event that a queue message points to, unless it is delivered, kept for a replay, gone or expired. When
 * we die after the endpoint has taken it and before that is noted, the endpoint gets it again, with the same
 * `webhook-id`. Throws when the table or KMS does not answer.
 *
 * Attempts are counted on the event: a message is also received where a long delay goes in steps, or after a crash.
 * Giving up is the queue's: what has used up its plan is reported as failed until `maxReceiveCount` moves it to the
 * dead-letter queue. Redriven by an operator, it is received for the first time again and tried anew.
 */
export const deliverToEndpoint = async (delivery: EndpointDelivery): Promise<Verdict> => {
  const event = await readEvent(delivery.body)
  if (event === undefined || event.state === 'delivered' || event.state === 'held') return { kind: 'done' }
  if (event.state === 'failed' && delivery.receipt > WEBHOOK_PLAN.attempts) return { kind: 'spent' }

  const endpoint = await readEndpoint(event.orgId, event.endpointKind, event.endpointId)
  if (endpoint === undefined) {
    log('warn', 'endpoint is gone: event dropped', about(event))
    return { kind: 'done' }
  }
  if (endpoint.status === 'disabled') {
    await markHeld(event)
    return { kind: 'done' }
  }

  const now = delivery.clock()
  const seconds = secondsUntil(event.nextAttemptAt, now)
  if (seconds > 0) return { kind: 'later', seconds }
  const { failingSince, stalling } = endpoint
  if (failingSince !== undefined && stalling === true && !(await takePlace(endpoint.id, now)))
    return { kind: 'later', seconds: secondsWithoutPlace(failingSince, now, delivery.random()) }
  return attempt(event, endpoint, delivery)
}

const readEvent = async (body: string): Promise<StoredEvent | undefined> => {
  const pointer = readPointer(body)
  if (pointer === undefined) {
    log('error', 'queue message is no pointer: dropped')
    return undefined
  }
  const item = await getItem(pointer)
  if (item === undefined) log('warn', 'event is gone or expired: not sent', { event: pointer.sk })
  return item === undefined ? undefined : fromEventItem(item)
}

const secondsUntil = (nextAttemptAt: string | undefined, now: number): number =>
  nextAttemptAt === undefined ? 0 : hidingSeconds(Date.parse(nextAttemptAt), now)

const attempt = async (event: StoredEvent, endpoint: Endpoint, delivery: EndpointDelivery): Promise<Verdict> => {
  const { clock, random, transport } = delivery
  const secrets = await openSecrets(endpoint, clock())
  const started = clock()
  const outcome = await post({
    url: endpoint.url,
    headers: webhookHeaders({ id: event.id, body: event.body, now: started, secrets }),
    body: event.body,
    policy: { local: settings().LOCAL_STAGE, ipLiterals: false },
    ...transport,
  })

  // A failed one is tried anew only when it comes back out of the dead-letter queue.
  const number = event.state === 'failed' ? 1 : event.attempts + 1
  const now = clock()
  const wait = nextDelay(WEBHOOK_PLAN, { attempt: number, random: random(), retryAfter: askedDelay(outcome, now) })
  const nextAttemptAt = wait === undefined ? undefined : new Date(now + wait).toISOString()
  const taken = isTaken(outcome)
  const state = await noteAttempt(
    {
      event,
      endpoint,
      nextAttemptAt,
      result: resultOf(outcome, now),
      attempt: {
        endpointId: endpoint.id,
        eventId: event.id,
        type: event.type,
        attempt: number,
        startedAt: new Date(started).toISOString(),
        ...attemptOutcome(outcome, taken),
      },
    },
    random,
  )
  if (!taken) {
    const lastError = describeOutcome(outcome)
    const { milliseconds } = outcome
    log('warn', 'event not taken', { ...about(event), attempt: number, lastError, milliseconds, state, nextAttemptAt })
  }

  if (taken || state === 'held') return { kind: 'done' }
  if (state === 'failed') return { kind: 'spent' }
  // Of an event that has moved on, the next receipt reads what is due.
  const seconds = state === 'pending' ? secondsUntil(nextAttemptAt, now) : 1
  return { kind: 'later', seconds }
}

const resultOf = (outcome: PostOutcome, now: number): AttemptResult => {
  const at = new Date(now).toISOString()
  if (isTaken(outcome)) return { kind: 'taken', at }
  const { status, milliseconds } = outcome
  return { kind: status === 410 ? 'gone' : 'refused', at, error: describeOutcome(outcome), milliseconds }
}

/** Ids only, for the log. */
const about = ({ id, type, orgId, endpointId, recordId }: StoredEvent) => ({
  event: id,
  type,
  orgId,
  endpointId,
  recordId,
})
