/**
 * Decides when an item is set aside: this code fails at it again and again, and it would block the items behind it.
 * Pure: the clock is an argument.
 */
import * as v from 'valibot'

/** Successive internal errors at the first item of a lane. */
export const InternalErrors = v.object({
  item: v.string(),
  /** Errors of this code. Errors of AWS do not count. */
  errors: v.number(),
  /** Processes that died while they tried the item. */
  ends: v.number(),
  /** Time of the first of them; ms since the epoch. */
  since: v.number(),
})
export type InternalErrors = v.InferOutput<typeof InternalErrors>

/**
 * With the pauses between them, this number of errors takes 20 minutes: time to roll back a version that fails at every
 * item.
 */
const MAX_ERRORS = 10

/** A process may also die for other reasons, so `ends` count only if they are spread over this time (ms). */
const DEATHS_MS = 60 * 60_000

/**
 * The errors at an item, with one more of this kind. Errors at another item are forgotten. A death counts only if this
 * item was being tried.
 */
export const addInternalError = (
  known: InternalErrors | undefined,
  item: string,
  kind: 'errors' | 'ends' | undefined,
  now: number,
): InternalErrors => {
  if (known?.item === item) return kind === undefined ? known : { ...known, [kind]: known[kind] + 1 }
  return { item, errors: kind === 'errors' ? 1 : 0, ends: 0, since: now }
}

export const exceedsMaxErrors = ({ errors, ends, since }: InternalErrors, now: number): boolean =>
  errors >= MAX_ERRORS || (ends >= MAX_ERRORS && now - since >= DEATHS_MS)
