/** How old an issuer's keys may be: pure rules. All times in ms. */
import type { ConfirmedKeys } from './confirmed-keys.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Keys that are younger are not looked up: what the table says is that late at most. */
export const CURRENT = MINUTE

/** Keys that nobody has confirmed for so long wake somebody. */
export const WATCHED = HOUR

/** Keys that nobody has confirmed for so long are no longer used. */
export const USABLE = 24 * HOUR

/** What the clocks of two machines may differ by. */
const CLOCKS = 5 * MINUTE

/**
 * Since when keys have not been confirmed. Keys of the future come from a clock that is wrong: a laptop's that deployed them. They would be
 * the newest for as long as it is wrong, so they count as the oldest.
 */
export const ageOf = ({ at }: Pick<ConfirmedKeys, 'at'>, now: number): number =>
  at > now + CLOCKS ? Number.POSITIVE_INFINITY : now - at

/** Whether keys take the place of those that are known. */
export const newer = (keys: ConfirmedKeys, known: ConfirmedKeys | undefined, now: number): boolean =>
  known === undefined || ageOf(keys, now) <= ageOf(known, now)
