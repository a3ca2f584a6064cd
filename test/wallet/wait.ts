/** Waits for something to become true, with a deadline. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough for functions that start cold on a busy machine, in ms. */
const DEADLINE = 15_000
const INTERVAL = 20

/** Asks until there is an answer (not `undefined`, `null` or `false`); rejects after `deadline` ms, saying `what` is missing. */
export const waitFor = async <T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  deadline = DEADLINE,
): Promise<T> => {
  const end = Date.now() + deadline
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    if (Date.now() > end) throw new Error(`waited ${deadline} ms for ${what}`)
    await sleep(INTERVAL)
  }
}
