/** Waiting that ends early when the stage stops. */
import { setTimeout } from 'node:timers/promises'

/** Waits `ms`. Throws an `AbortError` when `signal` is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal })

/** Runs a loop until it ends by itself or because `signal` was aborted. */
export const untilAborted = async (signal: AbortSignal, loop: () => Promise<void>): Promise<void> => {
  try {
    await loop()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise(() => {})
