/**
 * The retry plans: the delay after a failed attempt, also by the receiver's `Retry-After`, and when an item is given
 * up. Pure functions.
 */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delays between attempts, and the lifetime of an item. Durations are in ms. */
export interface RetryPlan {
  /** Time from the commit of an item until it is given up. */
  lifetime: number
  /** Delay after this number of failed attempts (from 1), without jitter. */
  plannedDelay(failures: number): number
  /** The planned delay with jitter; `random` is in [0, 1). */
  withJitter(planned: number, random: number): number
}

const MESSAGE_CAP = 5 * MINUTE

/**
 * Messages to wallets: 1 s, 2 s, 4 s, ... 5 min with full jitter, for a day.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const MESSAGE_PLAN: RetryPlan = {
  lifetime: 24 * HOUR,
  plannedDelay: (failures) => Math.min(MESSAGE_CAP, SECOND * 2 ** Math.max(0, Math.min(failures, 31) - 1)),
  withJitter: (planned, random) => planned * random,
}

const WEBHOOK_DELAYS = [5 * SECOND, 5 * MINUTE, ...[0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)]

/**
 * Events to webhook endpoints: the schedule that Standard Webhooks 1.0.0 recommends ("Deliverability and reliability")
 * with jitter of ±20 %. The lifetime is the sum of the delays: 75 h 35 min 5 s.
 */
export const WEBHOOK_PLAN: RetryPlan = {
  lifetime: WEBHOOK_DELAYS.reduce((sum, delay) => sum + delay, 0),
  plannedDelay: (failures) => WEBHOOK_DELAYS[Math.max(1, failures) - 1] ?? 24 * HOUR,
  withJitter: (planned, random) => planned * (0.8 + 0.4 * random),
}

/** A failed attempt. */
interface FailedAttempt {
  /** Number of failed attempts so far, including this one. */
  failures: number
  /** In [0, 1). */
  random: number
  /** The delay that the receiver requests, in ms (`requestedDelay`). */
  retryAfter?: number | undefined
  /** Ms since the epoch. */
  now: number
  /** When the item is given up, in ms since the epoch. */
  giveUpAt: number
}

/**
 * When the next attempt is due (ms since the epoch); undefined if the item's lifetime is over. The last attempt is made
 * at the end of the lifetime. A receiver's `Retry-After` replaces the delay with jitter, within half and double of the
 * planned delay.
 */
export const nextAttemptAt = (
  plan: RetryPlan,
  { failures, random, retryAfter, now, giveUpAt }: FailedAttempt,
): number | undefined => {
  if (now >= giveUpAt) return undefined
  const planned = plan.plannedDelay(failures)
  const delay =
    retryAfter === undefined
      ? plan.withJitter(planned, random)
      : Math.min(planned * 2, Math.max(planned / 2, retryAfter))
  return Math.min(Math.ceil(now + delay), giveUpAt)
}
