/** Starts what invokes functions besides HTTP: the event source mappings and schedules of serverless.yml. */
import { randomUUID } from 'node:crypto'
import type { FunctionDefinition, QueueEvent, StreamEvent } from '../service.ts'
import type { AwsCall } from './aws-call.ts'
import type { Invoke } from './functions.ts'
import { never, untilAborted } from './pause.ts'
import { runQueueMapping } from './queue-mapping.ts'
import { type Created, resolve } from './resources.ts'
import { runSchedule } from './schedule.ts'
import { runStreamMapping } from './stream-mapping.ts'
import { streamPosition } from './stream-position.ts'
import type { StreamBatch } from './stream-records.ts'

export interface EventSources {
  /** Rejects if one of them has failed. */
  failed: Promise<never>
  stop(): Promise<void>
}

interface Stage {
  invoke: Invoke
  streams: AwsCall
  sqs: AwsCall
  created: Created[]
  dataDir: string | undefined
}

export const startEventSources = (
  { functions }: { functions: Record<string, Pick<FunctionDefinition, 'events'>> },
  stage: Stage,
): EventSources => {
  const { invoke } = stage
  const stopping = new AbortController()
  const mappings = Object.entries(functions).flatMap(([key, { events = [] }]) =>
    events.flatMap(({ stream, sqs, schedule }) => [
      ...(stream === undefined ? [] : [mapStream(stage, key, stream, stopping.signal)]),
      ...(sqs === undefined ? [] : [mapQueue(stage, key, sqs, stopping.signal)]),
      ...(schedule === undefined ? [] : [runSchedule(schedule, () => invoke(key, {}), stopping.signal)]),
    ]),
  )
  return {
    failed: Promise.all(mappings).then(() => never()),
    stop: async () => {
      stopping.abort()
      await Promise.allSettled(mappings)
    },
  }
}

const mapStream = (stage: Stage, key: string, event: StreamEvent, signal: AbortSignal): Promise<void> => {
  const { invoke, streams, created, dataDir } = stage
  const streamArn = String(resolve(event.arn, created))
  const mapping = {
    streams,
    streamArn,
    event,
    position: streamPosition(dataDir, key, streamArn),
    invoke: (records: unknown) => invoke(key, records),
    giveUp: (batch: StreamBatch) => reportFailure(stage, key, event, batch),
  }
  return untilAborted(signal, () => runStreamMapping(mapping, signal))
}

const mapQueue = (
  { invoke, sqs, created }: Stage,
  key: string,
  event: QueueEvent,
  signal: AbortSignal,
): Promise<void> => {
  const queueArn = String(resolve(event.arn, created))
  const queueUrl = created.find(({ attributes }) => attributes.Arn === queueArn)?.ref ?? ''
  const mapping = { sqs, queueUrl, queueArn, event, invoke: (records: unknown) => invoke(key, records) }
  return untilAborted(signal, () => runQueueMapping(mapping, signal))
}

/**
 * Sends the position of the changes that were given up, but not the changes, to the on-failure queue.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
const reportFailure = async (
  { sqs, created }: Stage,
  key: string,
  event: StreamEvent,
  { shardId, records }: StreamBatch,
): Promise<void> => {
  const queueArn = resolve(event.destinations?.onFailure.arn, created)
  const queue = created.find(({ attributes }) => attributes.Arn === queueArn)
  if (queue === undefined) return
  const report = {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: { requestId: randomUUID(), functionArn: key, condition: 'RetryAttemptsExhausted' },
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: records[0]?.dynamodb.SequenceNumber,
      endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
      batchSize: records.length,
      streamArn: resolve(event.arn, created),
    },
  }
  await sqs('SendMessage', { QueueUrl: queue.ref, MessageBody: JSON.stringify(report) })
}
