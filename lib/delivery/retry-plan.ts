/** The retry plans: which delay comes after which attempt. Pure: clock and randomness are arguments. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How often and how far apart something is tried. Delays are in ms. */
export interface RetryPlan {
  /** Attempts at most; after the last one the message goes to the dead-letter queue. */
  attempts: number
  /** Delay after attempt `attempt` (from 1) before jitter. */
  planned(attempt: number): number
  /** The planned delay with jitter; `random` is in [0, 1). */
  jittered(planned: number, random: number): number
}

const MESSAGE_CAP = 5 * MINUTE

/**
 * Messages to wallets: 1 s, 2 s, 4 s, ... 5 min, with full jitter, so that wallets behind one gateway that comes back
 * are not asked all at once. A wait at the cap is 150 s on average, so this many attempts are about a day.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const MESSAGE_PLAN: RetryPlan = {
  attempts: 585,
  planned: (attempt) => Math.min(MESSAGE_CAP, SECOND * 2 ** Math.max(0, Math.min(attempt, 31) - 1)),
  jittered: (planned, random) => planned * random,
}

/**
 * The `maxReceiveCount` of the queue to wallets: a few receipts more than attempts, for those that a crash has cost.
 * SQS takes 1000 at most.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export const MESSAGE_RECEIPTS = MESSAGE_PLAN.attempts + 5

const WEBHOOK_DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/**
 * Events to webhook endpoints: the schedule that Standard Webhooks 1.0.0 recommends ("Deliverability and reliability"),
 * over about three days, with jitter of ±20 %.
 */
export const WEBHOOK_PLAN: RetryPlan = {
  attempts: WEBHOOK_DELAYS.length + 1,
  planned: (attempt) => WEBHOOK_DELAYS[Math.max(1, attempt) - 1] ?? 24 * HOUR,
  jittered: (planned, random) => planned * (0.8 + 0.4 * random),
}

/** What is known when an attempt has failed. */
export interface FailedAttempt {
  /** From 1. */
  attempt: number
  /** In [0, 1). */
  random: number
  /** What the receiver asked for, in ms (`retryAfterMs`). */
  retryAfter?: number | undefined
}

/**
 * Ms until the next attempt, or undefined when the plan is used up. A receiver's `Retry-After` replaces the jittered
 * delay, but neither hurries nor holds us up without bound: it counts between half and double of the planned delay.
 */
export const nextDelay = (plan: RetryPlan, { attempt, random, retryAfter }: FailedAttempt): number | undefined => {
  if (attempt >= plan.attempts) return undefined
  const planned = plan.planned(attempt)
  if (retryAfter === undefined) return plan.jittered(planned, random)
  return Math.min(planned * 2, Math.max(planned / 2, retryAfter))
}

/**
 * The longest that SQS hides a message is 12 h counted from its receipt, not from the call that asks for it: a
 * function's 15 min are kept off.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
export const LONGEST_HIDING_SECONDS = 12 * 3600 - 15 * 60

/**
 * Whole seconds to hide a message that is due at `dueAt` (both in ms since the epoch). A longer delay goes in steps:
 * whoever receives the message before its time hides it again, and does not count that as an attempt.
 */
export const hidingSeconds = (dueAt: number, now: number): number =>
  Math.min(LONGEST_HIDING_SECONDS, Math.max(0, Math.ceil((dueAt - now) / 1000)))

/**
 * The `maxReceiveCount` of the queue to webhook endpoints. A plan takes 20 receipts at most: one for each attempt, and
 * one for each step of a delay that the receiver has doubled. Waiting for a place at an endpoint that stalls takes
 * eighty at most in the five days until it is disabled. The rest is for what crashes and faults of AWS cost.
 */
export const WEBHOOK_RECEIPTS = 150
