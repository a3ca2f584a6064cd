/** The dead-letter queues: wake-ups that failed for good are recovered from, and what else lies there is counted. */

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
 * One value for all queues, and none where they are empty: what lies there is not told of again and again
 * (infra/watch/alarms.ts). Throws if SQS or the table does not answer.
 */
export const countDeadLetters = async (): Promise<void> => {
  const urls = settings()
  const left = await Promise.all([
    ...[urls.WAKE_UP_DEAD_LETTER_QUEUE_URL, urls.TIMER_DEAD_LETTER_QUEUE_URL].map(recoverFrom),
    ...[urls.JOB_DEAD_LETTER_QUEUE_URL, urls.DISPATCH_FAILURES_URL].map(messagesIn),
  ])
  const [wakeUps, timers, jobs, dispatches] = left
  const DeadLetters = left.reduce((sum, count) => sum + count, 0)
  if (DeadLetters === 0) return
  const fields = { event: 'outbox.dead_letters', ...{ wakeUps, timers, jobs, dispatches } } as const
  measure('error', 'dead-letter queues are not empty', fields, { values: { DeadLetters } })
}

/** An approximate number: it may be wrong for a minute. */
const messagesIn = async (QueueUrl: string | undefined): Promise<number> => {
  if (QueueUrl === undefined) return 0
  const AttributeNames = ['ApproximateNumberOfMessages' as const]
  const { Attributes } = await sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
}

/** Calls for ten messages in one run: what is left comes five minutes later. */
const MAX_CALLS = 30

/**
 * In seconds, within the client's timeout. Without a wait SQS asks some of its servers only, and may find nothing.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
 */
const WAIT = 1

/** Returns how many messages it leaves. */
const recoverFrom = async (QueueUrl: string | undefined): Promise<number> => {
  const count = await messagesIn(QueueUrl)
  let recovered = 0
  for (let call = 0; call < MAX_CALLS && recovered < count; call++) {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: WAIT })
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
