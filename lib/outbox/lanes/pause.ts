/** Pauses between the repetitions of a request. */

export interface PauseActions {
  /** Waits for some ms. */
  pause(ms: number): Promise<unknown>
  /** A number in [0, 1). */
  random(): number
}

/** Pauses before the n-th repetition of a request (from 0): up to 25 ms, doubled each time, full jitter. */
export const pauseBefore = ({ pause, random }: PauseActions, repetition: number): Promise<unknown> =>
  pause(random() * 25 * 2 ** Math.min(repetition, 4))
