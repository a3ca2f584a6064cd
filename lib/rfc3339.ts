/** Dates and times of RFC 3339, as JSON Schema's formats and the credential data model use them. */

const TIME = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)'

/** The form of a date and time, with seconds and offset. `hasDay` checks the day against the calendar. */
export const DATE_TIME = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)T${TIME}$`)

const FULL_TIME = new RegExp(`^${TIME}$`)

const FULL_DATE = /^\d{4}-\d\d-\d\d$/

/** Whether the text starts with a day of the calendar. JavaScript would count on from the end of a month. */
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

/** A date (its start in UTC) or date and time in ms since the epoch; undefined for anything else. */
export const toInstant = (text: string): number | undefined =>
  isDate(text) || isDateTime(text) ? new Date(text).getTime() : undefined
