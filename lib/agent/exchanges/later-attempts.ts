/** When what a wallet waits for is tried again, because another host did not answer: after growing pauses, for a day. Pure. */

/** In ms. */
const FIRST_PAUSE = 30_000
const LIFETIME = 24 * 60 * 60_000

/**
 * Ms until the next attempt at what a message asked for `age` ms ago; undefined when there is none any more. There are
 * at most 20.
 */
export const nextAttempt = (age: number): number | undefined =>
  age >= LIFETIME ? undefined : Math.ceil(Math.min(LIFETIME - age, Math.max(FIRST_PAUSE, age / 2)))
