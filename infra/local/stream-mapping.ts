/**
 * The event source mapping of a table's stream: filter, batches, retries, bisecting and the on-failure queue as Lambda
 * has them. https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
import { isDeepStrictEqual } from 'node:util'
import type { StreamEvent } from '../service.ts'
import type { AwsCall } from './aws-call.ts'
import { failedItems } from './batch-failures.ts'
import { eventFilter } from './event-filter.ts'
import { pause } from './pause.ts'
import type { StreamPosition } from './stream-position.ts'
import { type ChangeRecord, type StreamBatch, streamRecords } from './stream-records.ts'

export interface StreamMapping {
  streams: AwsCall
  streamArn: string
  event: StreamEvent
  position: StreamPosition
  invoke(event: { Records: ChangeRecord[] }): Promise<unknown>
  /** Called with a batch that was given up. */
  giveUp(batch: StreamBatch): Promise<void>
}

/** AWS's defaults: 100 records a batch; -1: retry as long as the stream holds them. */
const BATCH_SIZE = 100
const FOREVER = -1

/** Ms before a retry; the first is number 0. */
const backoff = (retry: number): number => Math.min(100 * 2 ** retry, 10_000)

/** False for a put that changes nothing, which dynoxide also reports. */
const isChange = ({ eventName, dynamodb }: ChangeRecord): boolean =>
  eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage)

const halves = <T>(items: T[]): T[][] => {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0)
}

/** Runs until `signal` is aborted. A batch that is not finished then comes again after the next start. */
export const runStreamMapping = async (mapping: StreamMapping, signal: AbortSignal): Promise<void> => {
  const { streams, streamArn, event, position } = mapping
  const passes = eventFilter(event.filterPatterns)
  const reading = { streams, streamArn, batchSize: event.batchSize ?? BATCH_SIZE, signal }
  for await (const { shardId, records } of streamRecords(reading, await position.read())) {
    const matching = records.filter((record) => isChange(record) && passes(record))
    await deliver(mapping, { shardId, records: matching }, 0, signal)
    const last = records.at(-1)
    if (last !== undefined) await position.write({ shardId, sequenceNumber: last.dynamodb.SequenceNumber })
  }
}

/** Invokes the function until each record was handled or given up. */
const deliver = async (
  mapping: StreamMapping,
  batch: StreamBatch,
  retry: number,
  signal: AbortSignal,
): Promise<void> => {
  if (batch.records.length === 0) return
  const { done, bisect } = await attempt(mapping, batch.records)
  const rest = batch.records.slice(done)
  if (rest.length === 0) return

  // Progress makes it a new batch, with all its retries.
  const retries = done > 0 ? 0 : retry
  const { maximumRetryAttempts = FOREVER } = mapping.event
  if (maximumRetryAttempts !== FOREVER && retries >= maximumRetryAttempts)
    return mapping.giveUp({ ...batch, records: rest })
  await pause(backoff(retries), signal)
  for (const records of bisect ? halves(rest) : [rest])
    await deliver(mapping, { ...batch, records }, retries + 1, signal)
}

/** One invocation. `done`: number of handled records from the first on; `bisect`: whether the rest is to be halved. */
const attempt = async (
  { event, invoke }: StreamMapping,
  records: ChangeRecord[],
): Promise<{ done: number; bisect: boolean }> => {
  try {
    const failed = failedItems(await invoke({ Records: records }), event.functionResponseType)
    const first = records.findIndex(({ dynamodb }) => failed.has(dynamodb.SequenceNumber))
    // An identifier that is not of the batch fails it as a whole, as on AWS.
    if (first === -1) return { done: failed.size === 0 ? records.length : 0, bisect: false }
    return { done: first, bisect: false }
  } catch {
    return { done: 0, bisect: event.bisectBatchOnFunctionError === true }
  }
}
