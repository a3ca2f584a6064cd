/** Puts messages that were given up back into their lanes, with a new retry plan. For an operator's tool. */

import { scanItems } from '../store/scan.ts'
import { transact } from '../store/write.ts'
import { deliveryUpdates, failedDelivery, outboxItem, outcomeItem } from './messages/index.ts'

/**
 * Redrives the items that were given up at `since` (ISO 8601 UTC) or later, and returns their number. Each keeps its
 * id, and so its place before later items. The stream's dispatcher wakes the lanes. Concurrent calls redrive an item
 * once. Throws `store.unavailable`.
 */
export const redriveMessages = async (since: string, now: number = Date.now()): Promise<number> => {
  const failed = { kind: { S: outcomeItem.kind } }
  let count = 0
  for await (const item of scanItems({ equals: failed })) {
    const outcome = outcomeItem.decode(item)
    // A corrupt item has no messages: there is nothing to send.
    if (outcome.endedAt < since || outcome.messages.length === 0) continue
    const at = new Date(now).toISOString()
    const result = await transact([
      { remove: outcomeItem.addressOf(outcome), condition: { equals: failed } },
      { put: outboxItem.encode({ ...outcome, pendingSince: at }), condition: { absent: ['pk'] } },
      ...deliveryUpdates(outcome, { ...failedDelivery(outcome), state: 'pending', at }),
    ])
    if (result.written) count += 1
  }
  return count
}
