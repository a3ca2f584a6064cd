/** Wake-ups of lanes with slow destinations → their messages and events, a few at a time → wallets, endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { deliverBatch } from '../lib/delivery/deliver.ts'

/** Returns the wake-ups that SQS has to deliver again. */
export const deliverSlowly = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  deliverBatch(event, context, 'slow')
