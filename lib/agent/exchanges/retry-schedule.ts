/** When to retry after another host was unavailable: after growing pauses, for a day. Pure. */

/** In ms. */
const FIRST_PAUSE = 30_000
const LIFETIME = 24 * 60 * 60_000

/**
 * Ms until the next attempt at a task that a message requested `age` ms ago; undefined after the last attempt. There
 * are at most 20 attempts. /
 */
export const nextAttemptDelay = (age: number): number | undefined =>
  age >= LIFETIME ? undefined : Math.ceil(Math.min(LIFETIME - age, Math.max(FIRST_PAUSE, age / 2)))
