/** Wake-ups whose time has come: lanes go to the queue that delivers, destinations are probed or release their lanes. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { passOn } from '../lib/outbox/timer.ts'

/** Reports those that are to come again. */
export const wake = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: (await passOn(Records)).map((itemIdentifier) => ({ itemIdentifier })),
})
