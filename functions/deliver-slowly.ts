/** Wake-ups of lanes with slow destinations → their messages and events, a few at a time → wallets, endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { background } from '../lib/background.ts'
import { deliverBatch } from '../lib/delivery/deliver.ts'

/** Returns the wake-ups that SQS must deliver again. */
export const deliverSlowly = background(
  (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => deliverBatch(event, context, 'slow'),
)
