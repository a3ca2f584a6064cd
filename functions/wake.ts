/** Wake-ups whose time has come: sends lanes to the delivery queues, probes destinations or releases their lanes. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { passOn } from '../lib/outbox/timer.ts'

/** Returns the wake-ups that SQS has to deliver again. */
export const wake = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: (await passOn(Records)).map((itemIdentifier) => ({ itemIdentifier })),
})
