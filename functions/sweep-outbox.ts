/** Every minute: wakes what is due in the outbox, also after a lost wake-up, and counts what waits, and dead letters. */
import { background } from '../lib/background.ts'
import { sweep } from '../lib/outbox/sweep.ts'

export const sweepOutbox = background(async (): Promise<void> => {
  await sweep(Date.now())
})
