/**
 * The dead-letter queues: lanes and destinations of failed wake-ups are made due again, and other messages are counted.
 */

import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs'
import { measure } from '../metrics.ts'
import { settings } from '../settings.ts'
import { recover } from './timer.ts'
import { sqs } from './wake-ups/index.ts'

/**
 * Measures one value for all queues, and nothing if they are empty: an alarm counts these values
 * (infra/watch/alarms.ts). Throws if SQS or DynamoDB is unavailable.
 */
export const countDeadLetters = async (): Promise<void> => {
  const urls = settings()
  const counts = await Promise.all([
    ...[urls.WAKE_UP_DEAD_LETTER_QUEUE_URL, urls.TIMER_DEAD_LETTER_QUEUE_URL].map(recoverFrom),
    ...[urls.JOB_DEAD_LETTER_QUEUE_URL, urls.DISPATCH_FAILURES_URL].map(messagesIn),
  ])
  const [wakeUps, timers, jobs, dispatches] = counts
  const DeadLetters = counts.reduce((sum, count) => sum + count, 0)
  if (DeadLetters === 0) return
  const fields = { event: 'outbox.dead_letters', ...{ wakeUps, timers, jobs, dispatches } } as const
  measure('error', 'dead-letter queues are not empty', fields, { values: { DeadLetters } })
}

/** The approximate number of messages: it may be outdated by a minute. */
const messagesIn = async (QueueUrl: string | undefined): Promise<number> => {
  if (QueueUrl === undefined) return 0
  const AttributeNames = ['ApproximateNumberOfMessages' as const]
  const { Attributes } = await sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
}

/** Maximum number of calls in one run, each for ten messages. The next run is five minutes later. */
const MAX_CALLS = 30

/**
 * In seconds, within the client's timeout (long polling). Short polling asks only some servers of SQS.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
 */
const WAIT_SECONDS = 1

/** Returns the number of remaining messages. */
const recoverFrom = async (QueueUrl: string | undefined): Promise<number> => {
  const count = await messagesIn(QueueUrl)
  let recovered = 0
  for (let call = 0; call < MAX_CALLS && recovered < count; call++) {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: WAIT_SECONDS })
    const { Messages = [] } = await sqs().send(receive)
    if (Messages.length === 0) break
    await recover(Messages.map(({ MessageId = '', Body = '' }) => ({ messageId: MessageId, body: Body })))
    await sqs().send(new DeleteMessageBatchCommand({ QueueUrl, Entries: Messages.map(toEntry) }))
    recovered += Messages.length
  }
  // The count is approximate, and the last call may bring more than were counted.
  return Math.max(0, count - recovered)
}

const toEntry = ({ ReceiptHandle }: Message, index: number) => ({ Id: String(index), ReceiptHandle })
