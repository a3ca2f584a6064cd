/**
 * When an item is set aside, because our own code fails at it again and again and it would hold up what is behind it.
 * Pure: clocks are arguments.
 */
import * as v from 'valibot'

/** Faults of our own, in a row, at the first item of a lane. */
export const OwnFaults = v.object({
  item: v.string(),
  /** Errors of our code. Faults of AWS are none. */
  errors: v.number(),
  /** Processes that ended while they tried the item. */
  ends: v.number(),
  /** The first of them; ms since the epoch. */
  since: v.number(),
})
export type OwnFaults = v.InferOutput<typeof OwnFaults>

/**
 * So many errors take 20 minutes, with the pauses between them: time to roll back a version that fails at every item.
 */
const MAX_FAULTS = 10

/** A process may also end without its item's doing, so its ends count only if they are spread over this time (ms). */
const ENDS_MS = 60 * 60_000

/**
 * The faults at an item, with one more of this kind. An end only counts if the item was the one being tried, and what
 * was known of another is forgotten.
 */
export const addFault = (
  known: OwnFaults | undefined,
  item: string,
  kind: 'errors' | 'ends' | undefined,
  now: number,
): OwnFaults => {
  if (known?.item === item) return kind === undefined ? known : { ...known, [kind]: known[kind] + 1 }
  return { item, errors: kind === 'errors' ? 1 : 0, ends: 0, since: now }
}

export const isTooMany = ({ errors, ends, since }: OwnFaults, now: number): boolean =>
  errors >= MAX_FAULTS || (ends >= MAX_FAULTS && now - since >= ENDS_MS)
