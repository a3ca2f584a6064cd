/** Dates and times of RFC 3339, as JSON Schema's formats and the credential data model use them. */

const TIME = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)'

/** The form of a date and time; whether the calendar has its day is for `hasDay`. Seconds and an offset are required. */
export const DATE_TIME = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)T${TIME}$`)

const FULL_TIME = new RegExp(`^${TIME}$`)

const FULL_DATE = /^\d{4}-\d\d-\d\d$/

/** Whether the calendar has the day that the text starts with: JavaScript counts on from the end of a month. */
export const hasDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  const start = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
}

/** `2026-01-31` */
export const isDate = (text: string): boolean => FULL_DATE.test(text) && hasDay(text)

/** `2026-01-31T12:00:00Z` */
export const isDateTime = (text: string): boolean => DATE_TIME.test(text) && hasDay(text)

/** `12:00:00Z` */
export const isTime = (text: string): boolean => FULL_TIME.test(text)

/** Milliseconds since 1970 of a date (its start in UTC) or of a date and time; undefined of anything else. */
export const toInstant = (text: string): number | undefined =>
  isDate(text) || isDateTime(text) ? new Date(text).getTime() : undefined
