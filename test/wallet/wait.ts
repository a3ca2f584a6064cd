/** Waits for something to become true. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Timeout in ms, long enough for a cold start on a busy machine. */
const END = 10 * 60_000
const INTERVAL = 20

/** Asks until there is an answer (not `undefined`, `null` or `false`). Rejects if none comes in `ms`, with `what` in the message. */
export const waitFor = async <T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  ms = END,
): Promise<T> => {
  // Not by `Date`, which some tests fake.
  const end = performance.now() + ms
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    if (performance.now() > end) throw new Error(`waited ${ms} ms for ${what}`)
    await sleep(INTERVAL)
  }
}
