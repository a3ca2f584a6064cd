/** Wake-ups whose time has come: sends lanes to the delivery queues, probes destinations or releases their lanes. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { background } from '../lib/background.ts'
import { handleWakeUps } from '../lib/outbox/timer.ts'

/** Returns the wake-ups that SQS must deliver again. */
export const wake = background(
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
    batchItemFailures: (await handleWakeUps(Records)).map((itemIdentifier) => ({ itemIdentifier })),
  }),
)
