/** Reads the changes of a table's stream, oldest first and without end. */
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorOutput,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams'
import { pause } from './pause.ts'

/** A change as a function gets it. */
export interface ChangeRecord {
  [field: string]: unknown
  dynamodb: { [field: string]: unknown; SequenceNumber: string }
}

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
  streams: DynamoDBStreamsClient
  streamArn: string
  batchSize: number
  signal: AbortSignal
}

/** Ms between two reads at the end of a shard: the minimum after a change, doubled each time to the maximum. */
const MIN_PAUSE = 10
const MAX_PAUSE = 100

const asChange = ({ dynamodb, ...record }: _Record, streamArn: string): ChangeRecord => ({
  ...record,
  eventSourceARN: streamArn,
  dynamodb: {
    ...dynamodb,
    SequenceNumber: dynamodb?.SequenceNumber ?? '',
    // Lambda passes it on in epoch seconds.
    ApproximateCreationDateTime: Math.floor((dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) / 1000),
  },
})

/**
 * Ids of the stream's shards from `first` on, or of all if it no longer exists. Here they follow one another, because
 * no shard is split.
 */
async function* shardIds({ streams, streamArn, signal }: Reading, first: string | undefined): AsyncGenerator<string> {
  let last: string | undefined
  for (;;) {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }))
    const ids = (StreamDescription?.Shards ?? []).flatMap(({ ShardId }) => ShardId ?? [])
    const next = last === undefined ? Math.max(0, ids.indexOf(first ?? '')) : ids.indexOf(last) + 1
    last = ids[next] ?? last
    if (next < ids.length && last !== undefined) yield last
    else await pause(MAX_PAUSE, signal)
  }
}

/** A shard iterator after `sequenceNumber`, or at the oldest record if that one is no longer held. */
const startOf = async ({ streams, streamArn }: Reading, ShardId: string, sequenceNumber: string | undefined) => {
  const oldest = { StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
  if (sequenceNumber === undefined) return streams.send(new GetShardIteratorCommand(oldest))
  try {
    const after = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: sequenceNumber } as const
    return await streams.send(new GetShardIteratorCommand({ ...oldest, ...after }))
  } catch (error) {
    if (!(error instanceof TrimmedDataAccessException)) throw error
    return streams.send(new GetShardIteratorCommand(oldest))
  }
}

/** The records of a shard from `ShardIterator` on; ends when the shard is closed. */
async function* shardRecords(
  { streams, streamArn, batchSize, signal }: Reading,
  { ShardIterator }: GetShardIteratorOutput,
): AsyncGenerator<ChangeRecord[]> {
  let pauseMs = MIN_PAUSE
  for (let iterator = ShardIterator; iterator !== undefined; ) {
    const command = new GetRecordsCommand({ ShardIterator: iterator, Limit: batchSize })
    const { Records = [], NextShardIterator } = await streams.send(command, { abortSignal: signal })
    if (Records.length > 0) {
      yield Records.map((record) => asChange(record, streamArn))
      pauseMs = MIN_PAUSE
    } else {
      await pause(pauseMs, signal)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE)
    }
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
