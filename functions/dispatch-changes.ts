/** Committed changes from the table stream: wakes the lanes of new items, and writes events. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { background } from '../lib/background.ts'
import { dispatch } from '../lib/delivery/dispatch.ts'

/** Returns the first change that was not dispatched because of an outage. The stream delivers again from there. */
export const dispatchChanges = background(async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const first = await dispatch(Records)
  return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] }
})
