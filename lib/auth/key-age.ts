/** Rules on the age of an issuer's keys. Pure; all times in ms. */
import type { ConfirmedKeys } from './confirmed-keys.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Younger keys are not read again, so changes in the table are noticed after this time at most. */
export const REREAD_AFTER_MS = MINUTE

/** Unconfirmed keys of this age raise an alarm. */
export const ALARM_AFTER_MS = HOUR

/** Unconfirmed keys of this age are not used any more. */
export const USABLE_MS = 24 * HOUR

/** Tolerated difference between clocks. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE

/**
 * The age of keys. A time in the future comes from a wrong clock, such as that of a deploying laptop, and would stay
 * the newest. So it counts as the oldest.
 */
export const ageOf = ({ at }: Pick<ConfirmedKeys, 'at'>, now: number): number =>
  at > now + CLOCK_TOLERANCE_MS ? Number.POSITIVE_INFINITY : now - at

/** Whether keys replace the known ones. */
export const isNewer = (keys: ConfirmedKeys, known: ConfirmedKeys | undefined, now: number): boolean =>
  known === undefined || ageOf(keys, now) <= ageOf(known, now)
