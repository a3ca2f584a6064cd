/** Rules on the age of an issuer's keys. Pure; all times in ms. */
import type { ConfirmedKeys } from './confirmed-keys.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Younger keys are not read again: changes in the table are noticed this late at most. */
export const CURRENT = MINUTE

/** Unconfirmed keys of this age cause an alarm. */
export const WATCHED = HOUR

/** Unconfirmed keys of this age are not used any more. */
export const USABLE = 24 * HOUR

/** Tolerated difference between clocks. */
const CLOCKS = 5 * MINUTE

/**
 * The age of keys. Keys from the future come from a wrong clock, such as a deploying laptop's, and would stay the
 * newest as long as it is wrong. So they count as the oldest.
 */
export const ageOf = ({ at }: Pick<ConfirmedKeys, 'at'>, now: number): number =>
  at > now + CLOCKS ? Number.POSITIVE_INFINITY : now - at

/** Whether keys replace the known ones. */
export const newer = (keys: ConfirmedKeys, known: ConfirmedKeys | undefined, now: number): boolean =>
  known === undefined || ageOf(keys, now) <= ageOf(known, now)
