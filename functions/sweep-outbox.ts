/** Every minute: wakes everything that is due in the outbox, also after a lost wake-up. */
import { sweep } from '../lib/outbox/sweep.ts'

export const sweepOutbox = async (): Promise<void> => {
  await sweep(Date.now())
}
