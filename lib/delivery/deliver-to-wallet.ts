/** One delivery to a wallet: the messages of an outbox item are posted in order, and it remembers how far that came. */
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import type { Verdict } from './deliver-groups.ts'
import { markAttemptFailed, markTaken, type OutboxItem, readOutbox } from './outbox.ts'
import { readPointer } from './pointer.ts'
import { describeOutcome, isTaken, type PostLimits, type PostOutcome, post } from './post.ts'
import { askedDelay } from './retry-after.ts'
import { hidingSeconds, MESSAGE_PLAN, nextDelay } from './retry-plan.ts'

/** The media type of envelopes over HTTP: Aries RFC 0025, "HTTP(S)"; RFC 0044. */
const ENVELOPE_TYPE = 'application/didcomm-envelope-enc'

export interface WalletDelivery {
  /** Body of the queue message. */
  body: string
  /** How often the queue message was received, from 1. */
  attempt: number
  /** Ms since the epoch: from then on no further message of the item is started. */
  startUntil: number
  limits?: Partial<PostLimits>
}

/** Seconds until attempt `attempt` + 1, or undefined when the plan is used up. */
export const secondsAfter = (attempt: number, outcome?: PostOutcome): number | undefined => {
  const now = Date.now()
  const retryAfter = outcome === undefined ? undefined : askedDelay(outcome, now)
  const delay = nextDelay(MESSAGE_PLAN, { attempt, random: Math.random(), retryAfter })
  return delay === undefined ? undefined : hidingSeconds(now + delay, now)
}

const refused = async (item: OutboxItem, attempt: number, outcome: PostOutcome): Promise<Verdict> => {
  const seconds = secondsAfter(attempt, outcome)
  const lastError = describeOutcome(outcome)
  await markAttemptFailed(item, seconds === undefined ? 'failed' : 'pending', lastError)
  log('warn', seconds === undefined ? 'message failed for good' : 'message not taken', {
    tenant: item.tenant,
    connectionId: item.connectionId,
    outboxId: item.sk,
    attempt,
    lastError,
    milliseconds: outcome.milliseconds,
    seconds,
  })
  return seconds === undefined ? { kind: 'spent' } : { kind: 'later', seconds }
}

/**
 * A wallet may answer in the response (return route). Nobody waits for that here; it is read to a bound and dropped.
 */
const noteResponse = (item: OutboxItem, { headers, body }: PostOutcome): void => {
  if (body === '') return
  const contentType = headers['content-type']
  log('debug', 'response of a wallet dropped', { outboxId: item.sk, contentType, characters: body.length })
}

const postAll = async (item: OutboxItem, { attempt, startUntil, limits }: WalletDelivery): Promise<Verdict> => {
  for (const [index, { endpoint, payload }] of item.messages.entries()) {
    if (index < item.taken) continue
    if (index > item.taken && Date.now() >= startUntil) return { kind: 'later', seconds: 0 }
    const outcome = await post({
      url: endpoint,
      headers: { 'content-type': ENVELOPE_TYPE },
      body: payload,
      policy: { local: settings().LOCAL_STAGE },
      ...(limits === undefined ? {} : { limits }),
    })
    if (!isTaken(outcome)) return refused(item, attempt, outcome)
    noteResponse(item, outcome)
    await markTaken(item, index + 1, new Date().toISOString())
  }
  return { kind: 'done' }
}

/**
 * Delivers what a queue message points to, unless it is delivered, gone or expired. When we die after the wallet has
 * taken a message and before our mark, the wallet gets it again, in the same envelope and with the same `@id` (Aries
 * RFC 0008). Throws when the table does not answer.
 *
 * The last word on giving up is the queue's: after the plan the message is reported as failed until the queue's
 * `maxReceiveCount`, a little above the plan, moves it to the dead-letter queue. So no second write can be lost between
 * the two queues, and what a crash has kept from being marked gets another try. Redriven by an operator, it counts from
 * 1 again and is tried anew.
 */
export const deliverToWallet = async (delivery: WalletDelivery): Promise<Verdict> => {
  const pointer = readPointer(delivery.body)
  if (pointer === undefined) {
    log('error', 'queue message is no pointer: dropped')
    return { kind: 'done' }
  }
  const item = await readOutbox(pointer)
  if (item === undefined) {
    log('warn', 'outbox item is gone or expired: not sent', { outboxId: pointer.sk })
    return { kind: 'done' }
  }
  if (item.state === 'delivered') return { kind: 'done' }
  if (item.state === 'failed' && delivery.attempt > MESSAGE_PLAN.attempts) return { kind: 'spent' }
  return postAll(item, delivery)
}
