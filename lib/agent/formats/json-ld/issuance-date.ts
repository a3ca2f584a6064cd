/** Dates of issuance that lie ahead: by a clock that is ahead of this one, or because the issuer means it. */
import { setTimeout as delay } from 'node:timers/promises'
import { NotYetIssuedError } from '../index.ts'

/** In ms: a message holds a function for as long. Clocks that are set by NTP differ by less. */
const MAX_AHEAD = 2_000
/** In ms: for so long a holder keeps a credential until its date. */
const MAX_KEPT = 24 * 60 * 60_000

/**
 * Waits until credentials that were issued just now are in force here too, which the library checks to the ms. Those of
 * a later time it refuses.
 */
export const waitForIssuance = async (issuanceDates: unknown[]): Promise<void> => {
  const now = Date.now()
  const ahead = issuanceDates.map((date) => Date.parse(String(date)) - now).filter((ms) => ms > 0 && ms <= MAX_AHEAD)
  // Node's timers may fire a ms early.
  if (ahead.length > 0) await delay(Math.max(...ahead) + 1)
}

/** Throws a NotYetIssuedError for a date that is neither now nor more than a day ahead. */
export const assertIssued = (issuanceDate: unknown): void => {
  const date = Date.parse(String(issuanceDate))
  const ahead = date - Date.now()
  if (ahead > MAX_AHEAD && ahead <= MAX_KEPT) throw new NotYetIssuedError(date)
}
