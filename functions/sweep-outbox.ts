/** Every minute: wakes due lanes of the outbox, also after a lost wake-up, and counts waiting items and dead letters. */
import { background } from '../lib/background.ts'
import { sweep } from '../lib/outbox/sweep.ts'

export const sweepOutbox = background(async (): Promise<void> => {
  await sweep(Date.now())
})
