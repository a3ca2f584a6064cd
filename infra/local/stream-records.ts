/** The changes of a table's stream, oldest first and without end. */
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
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

/** A change of a stream. */
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

const POLL_MS = 50

const asChange = ({ dynamodb, ...record }: _Record, streamArn: string): ChangeRecord => ({
  ...record,
  eventSourceARN: streamArn,
  dynamodb: {
    ...dynamodb,
    SequenceNumber: dynamodb?.SequenceNumber ?? '',
    // Lambda hands it on in epoch seconds.
    ApproximateCreationDateTime: Math.floor((dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) / 1000),
  },
})

/** Ids of the stream's shards from `first` on, or all of them where it is gone. Here they follow one another: none is ever split. */
async function* shardIds({ streams, streamArn, signal }: Reading, first: string | undefined): AsyncGenerator<string> {
  let last: string | undefined
  for (;;) {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }))
    const ids = (StreamDescription?.Shards ?? []).flatMap(({ ShardId }) => ShardId ?? [])
    const next = last === undefined ? Math.max(0, ids.indexOf(first ?? '')) : ids.indexOf(last) + 1
    last = ids[next] ?? last
    if (next < ids.length && last !== undefined) yield last
    else await pause(POLL_MS, signal)
  }
}

/** The records of a shard after `sequenceNumber`, or all; ends when the shard is closed. */
async function* shardRecords(
  { streams, streamArn, batchSize, signal }: Reading,
  ShardId: string,
  sequenceNumber: string | undefined,
): AsyncGenerator<ChangeRecord[]> {
  const from =
    sequenceNumber === undefined
      ? { ShardIteratorType: 'TRIM_HORIZON' as const }
      : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: sequenceNumber }
  const start = await streams.send(new GetShardIteratorCommand({ StreamArn: streamArn, ShardId, ...from }))
  for (let iterator = start.ShardIterator; iterator !== undefined; ) {
    const command = new GetRecordsCommand({ ShardIterator: iterator, Limit: batchSize })
    const { Records = [], NextShardIterator } = await streams.send(command, { abortSignal: signal })
    if (Records.length > 0) yield Records.map((record) => asChange(record, streamArn))
    else await pause(POLL_MS, signal)
    iterator = NextShardIterator
  }
}

/** Batches of at most `batchSize` changes: those after `after`, or from the oldest on. Throws an `AbortError`. */
export async function* streamRecords(reading: Reading, after: Place | undefined): AsyncGenerator<StreamBatch> {
  for await (const shardId of shardIds(reading, after?.shardId)) {
    const sequenceNumber = shardId === after?.shardId ? after.sequenceNumber : undefined
    for await (const records of shardRecords(reading, shardId, sequenceNumber)) yield { shardId, records }
  }
}
