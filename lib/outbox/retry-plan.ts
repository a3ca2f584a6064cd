/** The retry plans: how long to wait after a failed attempt, also by the receiver's `Retry-After`, and when to give up. Pure functions. */
import type { PostOutcome } from '../egress/post.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delays between attempts, and how long attempts are made. Durations are in ms. */
export interface RetryPlan {
  /** Time from the commit of an item until it is given up. */
  lifetime: number
  /** Delay after this number of failed attempts (from 1), without jitter. */
  planned(failures: number): number
  /** The planned delay with jitter; `random` is in [0, 1). */
  jittered(planned: number, random: number): number
}

const MESSAGE_CAP = 5 * MINUTE

/**
 * Messages to wallets: 1 s, 2 s, 4 s, ... 5 min with full jitter, for a day.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const MESSAGE_PLAN: RetryPlan = {
  lifetime: 24 * HOUR,
  planned: (failures) => Math.min(MESSAGE_CAP, SECOND * 2 ** Math.max(0, Math.min(failures, 31) - 1)),
  jittered: (planned, random) => planned * random,
}

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
 * Events to webhook endpoints: the schedule that Standard Webhooks 1.0.0 recommends ("Deliverability and reliability") with jitter of
 * ±20 %. The lifetime is the sum of the delays: 75 h 35 min 5 s.
 */
export const WEBHOOK_PLAN: RetryPlan = {
  lifetime: WEBHOOK_DELAYS.reduce((sum, delay) => sum + delay, 0),
  planned: (failures) => WEBHOOK_DELAYS[Math.max(1, failures) - 1] ?? 24 * HOUR,
  jittered: (planned, random) => planned * (0.8 + 0.4 * random),
}

/** A failed attempt. */
export interface FailedAttempt {
  /** Failed attempts so far, this one included. */
  failures: number
  /** In [0, 1). */
  random: number
  /** The delay that the receiver asked for, in ms (`askedDelay`). */
  retryAfter?: number | undefined
  /** Ms since the epoch. */
  now: number
  /** When the item is given up, in ms since the epoch. */
  giveUpAt: number
}

/**
 * When the next attempt is due (ms since the epoch); undefined if the item's lifetime is over. The last attempt is made at the end of the lifetime.
 * A receiver's `Retry-After` replaces the delay with jitter, limited to between half and double of the planned delay.
 */
export const nextAttemptAt = (
  plan: RetryPlan,
  { failures, random, retryAfter, now, giveUpAt }: FailedAttempt,
): number | undefined => {
  if (now >= giveUpAt) return undefined
  const planned = plan.planned(failures)
  const delay =
    retryAfter === undefined ? plan.jittered(planned, random) : Math.min(planned * 2, Math.max(planned / 2, retryAfter))
  return Math.min(Math.ceil(now + delay), giveUpAt)
}

const SHORT_DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun'
const LONG_DAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`

/** RFC 9110, section 5.6.7: a recipient accepts all three formats, of which senders may use the first only. */
const FORMATS = [
  new RegExp(String.raw`^(?:${SHORT_DAYS}), (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(String.raw`^(?:${LONG_DAYS}), (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT$`),
  new RegExp(String.raw`^(?:${SHORT_DAYS}) ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
]

/**
 * A two-digit year that looks more than 50 years ahead is the latest one in the past with these digits (section 5.6.7).
 */
const fullYear = (digits: string, now: number): number => {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}

const httpDate = (text: string, now: number): number | undefined => {
  const parts = FORMATS.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined)
  if (parts === undefined) return undefined
  const { year = '', month = '', day = '', hour, minute, second } = parts
  const date = new Date(0)
  date.setUTCFullYear(fullYear(year, now), MONTHS.indexOf(month), Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  return date.getTime()
}

/**
 * Milliseconds from `now` (ms since the epoch) that a `Retry-After` header asks for, at least 0; undefined if it is absent, or neither seconds nor
 * an HTTP date. RFC 9110, section 10.2.3.
 */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = httpDate(text, now)
  return at === undefined ? undefined : Math.max(0, at - now)
}

/** The statuses with which `Retry-After` is about the same request: RFC 9110, section 10.2.3, and RFC 6585, section 4. */
const WAIT_STATUSES = new Set([429, 502, 503, 504])

/** The delay that a receiver asks for, in ms; undefined if it asks for none. */
export const askedDelay = ({ status = 0, headers }: PostOutcome, now: number): number | undefined =>
  WAIT_STATUSES.has(status) ? retryAfterMs(headers['retry-after'], now) : undefined
