/** The event source mapping of a queue, on a real queue: what a function is given, and what comes back. */
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AwsCall, awsCall } from '../../../infra/local/aws-call.ts'
import { untilAborted } from '../../../infra/local/pause.ts'
import { runQueueMapping } from '../../../infra/local/queue-mapping.ts'
import type { QueueEvent } from '../../../infra/service.ts'
import { CREDENTIALS, REGION } from '../../support/table/dynamo.ts'
import { waitFor } from '../../wallet/wait.ts'

let server: FauxqsServer
let sqs: SQSClient
let call: AwsCall

beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false })
  sqs = new SQSClient({
    endpoint: server.address,
    useQueueUrlAsEndpoint: false,
    region: REGION,
    credentials: CREDENTIALS,
  })
  call = vi.fn(awsCall(server.address, 'sqs', REGION))
})
afterAll(async () => {
  sqs.destroy()
  await server.stop()
})

let queues = 0

/** A FIFO queue whose messages come back after a second. */
const newQueue = async () => {
  const attributes = { FifoQueue: 'true', VisibilityTimeout: '1' }
  const { queueUrl, queueArn } = server.createQueue(`queue-${queues++}.fifo`, { region: REGION, attributes })
  let sent = 0
  return {
    queueUrl,
    queueArn,
    send: async (group: string, ...bodies: string[]) => {
      for (const MessageBody of bodies) {
        const MessageDeduplicationId = String(sent++)
        await sqs.send(
          new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, MessageGroupId: group, MessageDeduplicationId }),
        )
      }
    },
    isEmpty: async () => {
      const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] })
      const { Attributes = {} } = await sqs.send(command)
      const counts = Object.entries(Attributes).filter(([name]) => name.startsWith('ApproximateNumberOfMessages'))
      return counts.every(([, count]) => count === '0')
    },
  }
}

interface QueueRecord {
  messageId: string
  receiptHandle: string
  body: string
  attributes: Record<string, string>
  [field: string]: unknown
}

const REPORTING: QueueEvent = { arn: { Ref: 'Queue' }, functionResponseType: 'ReportBatchItemFailures' }

/**
 * Runs a mapping whose function does what the answers say, one after the other; after them it takes what it is given.
 */
const run = (
  { queueUrl, queueArn }: Awaited<ReturnType<typeof newQueue>>,
  event: Partial<QueueEvent>,
  ...answers: ((records: QueueRecord[]) => unknown)[]
) => {
  const given: string[][] = []
  const records: QueueRecord[] = []
  const stopping = new AbortController()
  const invoke = async ({ Records }: { Records: unknown[] }) => {
    const batch = Records as QueueRecord[]
    records.push(...batch)
    given.push(batch.map(({ body }) => body))
    return answers.shift()?.(batch)
  }
  const mapping = { sqs: call, queueUrl, queueArn, event: { ...REPORTING, ...event }, invoke }
  const ended = untilAborted(stopping.signal, () => runQueueMapping(mapping, stopping.signal))
  return {
    given,
    records,
    ended,
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

const report =
  (...bodies: string[]) =>
  (records: QueueRecord[]) => ({
    batchItemFailures: records
      .filter(({ body }) => bodies.includes(body))
      .map(({ messageId: itemIdentifier }) => ({ itemIdentifier })),
  })
const fails = () => Promise.reject(new Error('the function failed'))

test('the function is given messages as Lambda gives them, and what it took is gone', async () => {
  const queue = await newQueue()
  await queue.send('group', 'one')
  await queue.send('another', 'two')
  const mapping = run(queue, {})
  await waitFor('the queue to be empty', queue.isEmpty)
  await mapping.stop()
  expect(mapping.given).toEqual([['one', 'two']])
  expect(mapping.records[0]).toEqual({
    messageId: expect.stringMatching(/^[\w-]{36}$/),
    receiptHandle: expect.any(String),
    body: 'one',
    attributes: expect.objectContaining({
      ApproximateReceiveCount: '1',
      MessageGroupId: 'group',
      MessageDeduplicationId: '0',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
    }),
    messageAttributes: {},
    md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
    eventSource: 'aws:sqs',
    eventSourceARN: queue.queueArn,
    awsRegion: REGION,
  })
})

test('a batch is no larger than serverless.yml says', async () => {
  const queue = await newQueue()
  await queue.send('a', 'a1')
  await queue.send('b', 'b1')
  await queue.send('c', 'c1')
  const mapping = run(queue, { batchSize: 2 })
  await waitFor('the queue to be empty', queue.isEmpty)
  await mapping.stop()
  expect(mapping.given.map(({ length }) => length)).toEqual([2, 1])
})

describe.concurrent('back comes', () => {
  test('what the function reports, and it alone', async ({ expect }) => {
    const queue = await newQueue()
    await queue.send('a', 'a1')
    await queue.send('b', 'b1')
    const mapping = run(queue, {}, report('b1'))
    await waitFor('the queue to be empty', queue.isEmpty)
    await mapping.stop()
    expect(mapping.given).toEqual([['a1', 'b1'], ['b1']])
    expect(mapping.records.at(-1)?.attributes.ApproximateReceiveCount).toBe('2')
  })

  test.each([
    ['the function failed', {}, fails],
    ['its answer is no report', {}, () => 'done'],
    ['it failed and does not report', { functionResponseType: 'none' }, fails],
  ])('all of the batch, when %s', async (_, event, answer) => {
    const queue = await newQueue()
    await queue.send('a', 'a1')
    await queue.send('b', 'b1')
    const mapping = run(queue, event, answer)
    await waitFor('the queue to be empty', queue.isEmpty)
    await mapping.stop()
    expect(mapping.given.at(0)).toEqual(['a1', 'b1'])
    expect(mapping.given.slice(1).flat().toSorted()).toEqual(['a1', 'b1'])
  })
})

describe('side by side', () => {
  test('work batches of several groups; a group waits for its own only', async () => {
    const queue = await newQueue()
    await queue.send('slow', 's1', 's2')
    await queue.send('quick', 'q1', 'q2')
    const slow = Promise.withResolvers<void>()
    const mapping = run(queue, { batchSize: 1 }, () => slow.promise)
    await waitFor('the quick group', () => mapping.given.flat().includes('q2'))
    expect(mapping.given.flat()).toEqual(['s1', 'q1', 'q2'])
    slow.resolve()
    await waitFor('the queue to be empty', queue.isEmpty)
    await mapping.stop()
    expect(mapping.given.flat().at(-1)).toBe('s2')
  })

  test('work no more than serverless.yml says', async () => {
    const queue = await newQueue()
    for (const group of ['a', 'b', 'c', 'd']) await queue.send(group, group)
    let working = 0
    let most = 0
    const work = async () => {
      working += 1
      most = Math.max(most, working)
      // As many turns of the event loop as another invocation would need to start beside this one.
      await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queue.queueUrl, AttributeNames: ['All'] }))
      working -= 1
    }
    const mapping = run(queue, { batchSize: 1, maximumConcurrency: 2 }, work, work, work, work)
    await waitFor('the queue to be empty', queue.isEmpty)
    await mapping.stop()
    expect(mapping.given).toHaveLength(4)
    expect(most).toBe(2)
  })
})

describe('when the stage stops', () => {
  test('a mapping that waits for messages ends immediately', async () => {
    const asked = vi.mocked(call)
    asked.mockClear()
    const mapping = run(await newQueue(), {})
    await waitFor('it to ask', () => asked.mock.results.length > 0)
    await mapping.stop()
    // It has not waited for the answer, which comes after 20 s where there is no message.
    await expect(asked.mock.results.at(-1)?.value).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('what is being worked on is finished, and nothing more is begun', async () => {
    const queue = await newQueue()
    await queue.send('a', 'a1', 'a2')
    const working = Promise.withResolvers<void>()
    const mapping = run(queue, { batchSize: 1 }, () => working.promise)
    await waitFor('the first to be worked on', () => mapping.given.length === 1)
    let hasEnded = false
    const stopped = mapping.stop().then(() => {
      hasEnded = true
    })
    await queue.isEmpty()
    expect(hasEnded).toBe(false)
    working.resolve()
    await stopped
    expect(mapping.given).toEqual([['a1']])
  })
})
