/** Wake-ups of lanes → what waits in them → wallets and webhook endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { deliverBatch } from '../lib/delivery/deliver.ts'

/** Reports the wake-ups that are to come again. */
export const deliver = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  deliverBatch(event, context, 'fast')
