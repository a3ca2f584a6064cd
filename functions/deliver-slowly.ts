/** Wake-ups of lanes whose destination is slow → what waits in them, a few at a time → wallets and webhook endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { deliverBatch } from '../lib/delivery/deliver.ts'

/** Reports the wake-ups that are to come again. */
export const deliverSlowly = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  deliverBatch(event, context, 'slow')
