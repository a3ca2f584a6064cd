/** Reads the changes of a table's stream, oldest first and without end. */
import * as v from 'valibot'
import { errorName } from '../../lib/errors.ts'
import type { AwsCall } from './aws-call.ts'
import { pause } from './pause.ts'

/** A change as the stream has it, and Lambda passes it on: bytes in base64, times in epoch seconds. */
const Change = v.looseObject({ dynamodb: v.looseObject({ SequenceNumber: v.string() }) })

/** A change as a function gets it. */
export type ChangeRecord = v.InferOutput<typeof Change>

const Described = v.object({
  StreamDescription: v.object({ Shards: v.optional(v.array(v.object({ ShardId: v.string() })), []) }),
})

const Iterator = v.object({ ShardIterator: v.string() })

const Read = v.object({ Records: v.array(Change), NextShardIterator: v.nullish(v.string()) })

/** Changes of one shard. */
export interface StreamBatch {
  shardId: string
  records: ChangeRecord[]
}

/** Position of a change in a stream. */
export interface Place {
  shardId: string
  sequenceNumber: string
}

interface Reading {
  streams: AwsCall
  streamArn: string
  batchSize: number
  signal: AbortSignal
}

/** Ms between two reads at the end of a shard: the minimum after a change, doubled each time to the maximum. */
const MIN_PAUSE = 20
const MAX_PAUSE = 100

/**
 * Ids of the stream's shards from `first` on, or of all if it no longer exists. Here they follow one another, because
 * no shard is split.
 */
async function* shardIds({ streams, streamArn, signal }: Reading, first: string | undefined): AsyncGenerator<string> {
  let last: string | undefined
  for (;;) {
    const { StreamDescription } = v.parse(Described, await streams('DescribeStream', { StreamArn: streamArn }, signal))
    const ids = StreamDescription.Shards.map(({ ShardId }) => ShardId)
    const next = last === undefined ? Math.max(0, ids.indexOf(first ?? '')) : ids.indexOf(last) + 1
    last = ids[next] ?? last
    if (next < ids.length && last !== undefined) yield last
    else await pause(MAX_PAUSE, signal)
  }
}

/** A shard iterator after `sequenceNumber`, or at the oldest record if that one is no longer held. */
const startOf = async ({ streams, streamArn }: Reading, ShardId: string, sequenceNumber: string | undefined) => {
  const iterator = async (start: object) =>
    v.parse(Iterator, await streams('GetShardIterator', { StreamArn: streamArn, ShardId, ...start })).ShardIterator
  const oldest = { ShardIteratorType: 'TRIM_HORIZON' }
  if (sequenceNumber === undefined) return iterator(oldest)
  try {
    return await iterator({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: sequenceNumber })
  } catch (error) {
    if (errorName(error) !== 'TrimmedDataAccessException') throw error
    return iterator(oldest)
  }
}

/** The records of a shard from `start` on; ends when the shard is closed. */
async function* shardRecords(
  { streams, streamArn, batchSize, signal }: Reading,
  start: string,
): AsyncGenerator<ChangeRecord[]> {
  let pauseMs = MIN_PAUSE
  for (let iterator: string | null | undefined = start; iterator != null; ) {
    const output = await streams('GetRecords', { ShardIterator: iterator, Limit: batchSize }, signal)
    const { Records, NextShardIterator }: v.InferOutput<typeof Read> = v.parse(Read, output)
    if (Records.length > 0) yield Records.map((record) => ({ ...record, eventSourceARN: streamArn }))
    pauseMs = Records.length > 0 ? MIN_PAUSE : Math.min(pauseMs * 2, MAX_PAUSE)
    // A batch that is not full was the last for now.
    if (Records.length < batchSize) await pause(pauseMs, signal)
    iterator = NextShardIterator
  }
}

/** Batches of at most `batchSize` changes, from the one after `after` or the oldest on. Throws an `AbortError`. */
export async function* streamRecords(reading: Reading, after: Place | undefined): AsyncGenerator<StreamBatch> {
  for await (const shardId of shardIds(reading, after?.shardId)) {
    const sequenceNumber = shardId === after?.shardId ? after.sequenceNumber : undefined
    const start = await startOf(reading, shardId, sequenceNumber)
    for await (const records of shardRecords(reading, start)) yield { shardId, records }
  }
}
