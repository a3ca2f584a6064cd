/** Wake-ups of lanes → their messages and events → wallets and webhook endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { background } from '../lib/background.ts'
import { deliverBatch } from '../lib/delivery/deliver.ts'

/** Returns the wake-ups that SQS must deliver again. */
export const deliver = background(
  (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => deliverBatch(event, context, 'fast'),
)
