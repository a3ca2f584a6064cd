/** Wake-ups whose time has come: sends lanes to the delivery queues, probes destinations or releases their lanes. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { handleWakeUps } from '../lib/outbox/timer.ts'

/** Returns the wake-ups that SQS has to deliver again. */
export const wake = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: (await handleWakeUps(Records)).map((itemIdentifier) => ({ itemIdentifier })),
})
