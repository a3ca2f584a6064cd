/** `Retry-After`: the delay that a receiver requests. Pure functions. RFC 9110, section 10.2.3. */
import type { PostOutcome } from './post.ts'

const SHORT_DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun'
const LONG_DAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`

/** RFC 9110, section 5.6.7: a recipient accepts all three formats, but senders may only use the first. */
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
 * The delay of a `Retry-After` header in ms from `now` (ms since the epoch), at least 0; undefined if it is absent, or
 * neither seconds nor an HTTP date. RFC 9110, section 10.2.3.
 */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = httpDate(text, now)
  return at === undefined ? undefined : Math.max(0, at - now)
}

/**
 * The statuses with which `Retry-After` is about the same request: RFC 9110, section 10.2.3, and RFC 6585, section 4.
 */
const WAIT_STATUSES = new Set([429, 502, 503, 504])

/** The delay that a receiver requests, in ms, if any. */
export const requestedDelay = ({ status = 0, headers }: PostOutcome, now: number): number | undefined =>
  WAIT_STATUSES.has(status) ? retryAfterMs(headers['retry-after'], now) : undefined
