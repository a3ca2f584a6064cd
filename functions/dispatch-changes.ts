/** Committed changes of the table: the lanes of what is to be delivered are woken, and events are written. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { dispatch } from '../lib/delivery/dispatch.ts'

/** Reports the first change that an outage has kept from being dispatched; the stream comes again from there. */
export const dispatchChanges = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const first = await dispatch(Records)
  return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] }
}
