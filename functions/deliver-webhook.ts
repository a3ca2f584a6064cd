/** Queue of pointers → event items → signed POST to the webhook endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { POST_LIMITS } from '../lib/delivery/post.ts'
import { hide, queueUrl } from '../lib/delivery/queue.ts'
import { deliverEvents } from '../lib/webhooks/deliver-events.ts'

/** What an attempt needs besides the POST: reading, opening the secret, noting, hiding the message; ms. */
const AROUND_MS = 5_000

/** Reports the messages that failed or were not reached; when they come back is set on each of them. */
export const deliverWebhook = async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  const queue = queueUrl('WEBHOOK_QUEUE_URL')
  const failed = await deliverEvents(Records, {
    clock: Date.now,
    random: Math.random,
    startUntil: Date.now() + context.getRemainingTimeInMillis() - POST_LIMITS.attemptMs - AROUND_MS,
    hide: (receiptHandles, seconds) => hide(queue, receiptHandles, seconds),
  })
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
}
