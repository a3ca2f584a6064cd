/** Once a minute: whatever is due in the outbox is woken, also what a lost wake-up has left behind. */
import { sweep } from '../lib/outbox/sweep.ts'

export const sweepOutbox = async (): Promise<void> => {
  await sweep(Date.now())
}
