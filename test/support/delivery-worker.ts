/** A thread that delivers events, as a Lambda beside others: by the clock that it is told, one message at a time or several. */
import { parentPort } from 'node:worker_threads'
import type { SQSRecord } from 'aws-lambda'
import { deliverEvents } from '../../lib/webhooks/deliver-events.ts'

export interface Assignment {
  record: SQSRecord
  /** Ms since the epoch. */
  now: number
}

export interface Report {
  handle: string
  /** For how long the message is hidden; undefined: it is done with. */
  hiddenSeconds: number | undefined
}

const deliver = async ({ record, now }: Assignment): Promise<Report> => {
  let hiddenSeconds: number | undefined
  const failed = await deliverEvents([record], {
    clock: () => now,
    random: Math.random,
    startUntil: Date.now() + 60_000,
    hide: async (_handles, seconds) => {
      hiddenSeconds = seconds
    },
  })
  return { handle: record.receiptHandle, hiddenSeconds: failed.length === 0 ? undefined : (hiddenSeconds ?? 0) }
}

parentPort?.on('message', async (assignment: Assignment) => parentPort?.postMessage(await deliver(assignment)))
