/** Wake-ups of lanes → what waits in them → wallets and webhook endpoints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { deliverWoken } from '../lib/webhooks/deliver-woken.ts'

/** Reports the wake-ups that are to come again. */
export const deliver = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  deliverWoken(event, context, 'fast')
