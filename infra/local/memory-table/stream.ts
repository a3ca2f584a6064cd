/** The stream of the table in memory. It stores a change until all of its readers have handled it. */
import { invalid } from './expressions.ts'
import type { Input, ItemChange } from './memory-table.ts'

const MAX_RECORDS = 1_000

const Shards = [{ ShardId: 'shard' }]

/** The stream record of a change; undefined if the item is unchanged. */
const toRecord = ({ before, after }: ItemChange, number: number): object | undefined => {
  const { pk, sk } = after ?? before ?? {}
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  return {
    eventID: String(number),
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    eventSource: 'aws:dynamodb',
    awsRegion: process.env.AWS_REGION,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: { pk, sk },
      ...(after && { NewImage: after }),
      ...(before && { OldImage: before }),
      SequenceNumber: String(number).padStart(21, '0'),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  }
}

export class TableStream {
  readonly #records: object[] = []
  /** Number of removed records. */
  #removedCount = 0
  /** Position of each reader: it has handled all records before. */
  readonly #readers = new Map<string, number>()

  get size(): number {
    return this.#records.length
  }

  add(change: ItemChange): void {
    const record = toRecord(change, this.#removedCount + this.#records.length + 1)
    if (record !== undefined) this.#records.push(record)
  }

  /** The response to a request of the streams' API. */
  execute(operation: string, input: Input, streamArn: string): object {
    if (operation === 'ListStreams') return { Streams: [{ StreamArn: streamArn }] }
    if (operation === 'DescribeStream') return { StreamDescription: { Shards } }
    if (operation === 'GetShardIterator') return this.#startReader(input.ShardIteratorType)
    return this.#read(String(input.ShardIterator), Number(input.Limit ?? MAX_RECORDS))
  }

  #startReader(type: unknown): object {
    if (type !== 'TRIM_HORIZON') throw invalid(`not supported in memory: ${type}`)
    const reader = String(this.#readers.size)
    this.#readers.set(reader, this.#removedCount)
    return { ShardIterator: `${reader} ${this.#removedCount}` }
  }

  /** A request for the records after a position confirms that its reader has handled all earlier ones. */
  #read(iterator: string, limit: number): object {
    const [reader = '', position] = iterator.split(' ')
    const from = Number(position)
    this.#readers.set(reader, from)
    const handled = Math.min(...this.#readers.values())
    this.#records.splice(0, handled - this.#removedCount)
    this.#removedCount = handled
    const Records = this.#records.slice(from - handled, from - handled + limit)
    return { Records, NextShardIterator: `${reader} ${from + Records.length}` }
  }
}
