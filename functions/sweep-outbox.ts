/** Every minute: wakes everything that is due in the outbox, also after a lost wake-up. Counts what waits, and dead letters. */
import { background } from '../lib/background.ts'
import { sweep } from '../lib/outbox/sweep.ts'

export const sweepOutbox = background(async (): Promise<void> => {
  await sweep(Date.now())
})
