/** The queues of wake-ups, replaced by a list of the messages that were sent, with rejections on demand. */
import { setImmediate } from 'node:timers/promises'
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { vi } from 'vitest'
import { sqs, sqsOnce } from '../../../lib/outbox/wake-ups/queues.ts'

interface SentWakeUp {
  /** Last part of the queue's URL. */
  queue: string
  body: Record<string, unknown>
  group?: string | undefined
  id?: string | undefined
  /** Seconds. */
  delay?: number | undefined
}

export interface SentWakeUps {
  /** The accepted messages, oldest first. */
  sent: SentWakeUp[]
  /** The messages to reject individually; `down`: every call fails. */
  refuse: ((wakeUp: SentWakeUp) => boolean) | 'down' | undefined
  /** Rejects them as invalid. */
  senderFault: boolean
  clear(): void
}

const URLS = {
  WAKE_UP_QUEUE_URL: 'http://127.0.0.1/000000000000/wake-ups.fifo',
  SLOW_WAKE_UP_QUEUE_URL: 'http://127.0.0.1/000000000000/slow-wake-ups.fifo',
  TIMER_QUEUE_URL: 'http://127.0.0.1/000000000000/timers',
  JOB_QUEUE_URL: 'http://127.0.0.1/000000000000/jobs',
  REMOVAL_QUEUE_URL: 'http://127.0.0.1/000000000000/removals',
}

/** Sets the queues in the environment; must run before the settings are read. */
export const nameQueues = (): void => {
  Object.assign(process.env, { AWS_REGION: 'eu-west-1', ...URLS })
}

/** Replaces SQS; must run after the settings are complete. */
export const watchQueues = (): SentWakeUps => {
  const queues: SentWakeUps = {
    sent: [],
    refuse: undefined,
    senderFault: false,
    clear: () => {
      queues.sent = []
      queues.refuse = undefined
      queues.senderFault = false
    },
  }
  const take = (QueueUrl: string | undefined, entry: SendMessageCommand['input'] | object): boolean => {
    const {
      MessageBody = '',
      MessageGroupId,
      MessageDeduplicationId,
      DelaySeconds,
    } = entry as Partial<SendMessageCommand['input']>
    const wakeUp = {
      queue: QueueUrl?.split('/').at(-1) ?? '',
      body: JSON.parse(MessageBody),
      group: MessageGroupId,
      id: MessageDeduplicationId,
      delay: DelaySeconds,
    }
    if (typeof queues.refuse === 'function' && queues.refuse(wakeUp)) return false
    queues.sent.push(wakeUp)
    return true
  }
  const send = async (command: unknown): Promise<object> => {
    // Sending takes a moment: a message whose sending is not awaited is not there when the caller has ended.
    await setImmediate()
    if (queues.refuse === 'down') throw Object.assign(new Error('injected'), { name: 'TimeoutError' })
    if (command instanceof SendMessageBatchCommand) {
      const { QueueUrl, Entries = [] } = command.input
      const refused = Entries.filter((entry) => !take(QueueUrl, entry))
      return { Failed: refused.map(({ Id }) => ({ Id, Code: 'any', SenderFault: queues.senderFault })) }
    }
    if (!(command instanceof SendMessageCommand)) throw new Error('not expected')
    if (!take(command.input.QueueUrl, command.input)) throw new Error('refused')
    return {}
  }
  for (const client of [sqs(), sqsOnce()]) vi.spyOn(client, 'send').mockImplementation(send as never)
  return queues
}
