/** The relay: what leaves because of committed changes goes from the table's stream into the queues, in order. */
import type { DynamoDBRecord } from 'aws-lambda'
import { log } from '../log.ts'
import { QUEUE_BATCH, type QueueMessage, sendTogether } from './queue.ts'

/** What leaves because of one change of the table: a pure function of old and new image. */
export type Leaving = (record: DynamoDBRecord) => QueueMessage[]

interface Departure extends QueueMessage {
  /** Of the change that it comes from. */
  sequence: string
}

/**
 * A change that can't be read is skipped with a line in the log: thrown, it would stop everything behind it in its
 * shard.
 */
const departures = (record: DynamoDBRecord, leaving: Leaving): Departure[] => {
  const sequence = record.dynamodb?.SequenceNumber ?? ''
  try {
    return leaving(record).map((message) => ({ ...message, sequence }))
  } catch (error) {
    log('error', 'change skipped', {
      sequence,
      eventId: record.eventID,
      error: error instanceof Error ? error.name : '',
    })
    return []
  }
}

/** Cuts messages into rounds, each small enough for one call and without two messages of one group; the order stays. */
export const rounds = <T extends QueueMessage>(messages: T[]): T[][] => {
  const result: T[][] = []
  let groups = new Set<string>()
  for (const message of messages) {
    const round = result.at(-1)
    const group = `${message.queueUrl} ${message.group}`
    if (round === undefined || round.length === QUEUE_BATCH || groups.has(group)) {
      result.push([message])
      groups = new Set([group])
    } else {
      round.push(message)
      groups.add(group)
    }
  }
  return result
}

/** Sends a round, one call for each queue; returns what was not taken. */
const send = async (round: Departure[]): Promise<Departure[]> => {
  const queues = Map.groupBy(round, ({ queueUrl }) => queueUrl)
  const failed = await Promise.all(
    Array.from(queues, async ([url, messages]) => {
      try {
        return await sendTogether(url, messages)
      } catch (error) {
        log('error', 'queue does not answer', { error: error instanceof Error ? error.name : '' })
        return messages
      }
    }),
  )
  return failed.flat()
}

/**
 * Sends what leaves because of the records of one shard, oldest first, and stops at the first round that was not taken
 * as a whole. Returns the sequence number of the first change that was not relayed: it and all behind it come again.
 * What of that was sent already is sent again then, with the same id: the queue drops it, or whoever delivers it sees
 * that it is done.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const relay = async (records: DynamoDBRecord[], leaving: Leaving): Promise<string | undefined> => {
  const all = records.flatMap((record) => departures(record, leaving))
  for (const round of rounds(all)) {
    const failed = new Set(await send(round))
    const first = round.find((departure) => failed.has(departure))
    if (first !== undefined) return first.sequence
  }
  return undefined
}
