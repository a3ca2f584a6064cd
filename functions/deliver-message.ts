/** Queue of pointers → outbox items → POST to the wallets. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { deliverGroups } from '../lib/delivery/deliver-groups.ts'
import { deliverToWallet, secondsAfter } from '../lib/delivery/deliver-to-wallet.ts'
import { POST_LIMITS } from '../lib/delivery/post.ts'
import { hide, queueUrl } from '../lib/delivery/queue.ts'

/** What an attempt needs besides the POST: reading and marking the item, hiding the message; ms. */
const AROUND_MS = 5_000

/** After a fault of our own beyond the plan: the receipts that are left are for faults like this. */
const LONGEST_WAIT_SECONDS = 300

/** Reports the messages that failed or were not reached; when they come back is set on each of them. */
export const deliverMessage = async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  const queue = queueUrl('MESSAGE_QUEUE_URL')
  const startUntil = Date.now() + context.getRemainingTimeInMillis() - POST_LIMITS.attemptMs - AROUND_MS
  const failed = await deliverGroups(Records, {
    startUntil,
    deliver: ({ body }, attempt) => deliverToWallet({ body, attempt, startUntil }),
    hide: (receiptHandles, seconds) => hide(queue, receiptHandles, seconds),
    secondsAfterFault: (attempt) => secondsAfter(attempt) ?? LONGEST_WAIT_SECONDS,
  })
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
}
