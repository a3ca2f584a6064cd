/** Dates of issuance by a clock that is ahead of this one. */
import { setTimeout as delay } from 'node:timers/promises'

/** In ms: a message holds a function for as long. Clocks that are set by NTP differ by less. */
const MAX_AHEAD = 2_000

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
