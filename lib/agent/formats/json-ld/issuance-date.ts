/** Issuance dates in the future: because of clock skew, or because the issuer postdates a credential. */
import { setTimeout as delay } from 'node:timers/promises'
import { NotYetIssuedError } from '../index.ts'

/** Maximum clock skew in ms, for which a function waits. Clocks that are set by NTP differ by less. */
const MAX_CLOCK_SKEW = 2_000
/** In ms: a holder waits at most so long for the date of a received credential. */
const MAX_POSTDATED = 24 * 60 * 60_000

/** Waits until dates within the clock skew have passed: the library rejects a credential with a later date. */
export const waitForIssuance = async (issuanceDates: unknown[]): Promise<void> => {
  const now = Date.now()
  const ahead = issuanceDates
    .map((date) => Date.parse(String(date)) - now)
    .filter((ms) => ms > 0 && ms <= MAX_CLOCK_SKEW)
  // Node's timers may fire a ms early.
  if (ahead.length > 0) await delay(Math.max(...ahead) + 1)
}

/** Throws a NotYetIssuedError for a date beyond the clock skew but at most a day ahead. */
export const assertIssued = (issuanceDate: unknown): void => {
  const date = Date.parse(String(issuanceDate))
  const ahead = date - Date.now()
  if (ahead > MAX_CLOCK_SKEW && ahead <= MAX_POSTDATED) throw new NotYetIssuedError(date)
}
