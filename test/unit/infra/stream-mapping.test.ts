/**
 * The event source mapping of a table's stream, on a real table and its stream: what a function is given, and when
 * again.
 */
import { type AttributeValue, CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AwsCall, awsCall } from '../../../infra/local/aws-call.ts'
import { untilAborted } from '../../../infra/local/pause.ts'
import { runStreamMapping } from '../../../infra/local/stream-mapping.ts'
import type { ChangeRecord, Place } from '../../../infra/local/stream-records.ts'
import type { StreamEvent } from '../../../infra/service.ts'
import { type Dynamo, REGION, startDynamo } from '../../support/table/dynamo.ts'
import { waitFor } from '../../wallet/wait.ts'

let dynamo: Dynamo
let streams: AwsCall

beforeAll(async () => {
  dynamo = await startDynamo()
  streams = awsCall(dynamo.endpoint, 'dynamodb', REGION)
})
afterAll(async () => {
  await dynamo.stop()
})

let tables = 0

/** A table with its own stream, and a position in it. */
const newTable = async () => {
  const TableName = `table-${tables++}`
  const { TableDescription } = await dynamo.client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  )
  let place: Place | undefined
  return {
    streams,
    streamArn: TableDescription?.LatestStreamArn ?? '',
    put: async (...ids: string[]) => {
      for (const id of ids)
        await dynamo.client.send(
          new PutItemCommand({
            TableName,
            Item: { pk: { S: id }, kind: { S: id.replace(/\d/, '') }, bytes: { B: Buffer.from(id) } },
          }),
        )
    },
    position: {
      read: async () => place,
      write: async (next: Place) => {
        place = next
      },
    },
    place: () => place,
  }
}

type Table = Awaited<ReturnType<typeof newTable>>

const idOf = ({ dynamodb }: ChangeRecord): string => (dynamodb.Keys as Record<string, AttributeValue>).pk?.S ?? ''

const REPORTING: StreamEvent = { arn: { Ref: 'Table' }, functionResponseType: 'ReportBatchItemFailures' }

/** Finds the place where a stream was left older than what the stream holds, which takes a day. */
const lateCall: AwsCall = async (operation, input, signal) => {
  if ('SequenceNumber' in input) throw Object.assign(new Error('trimmed'), { name: 'TrimmedDataAccessException' })
  return streams(operation, input, signal)
}

/**
 * Runs a mapping whose function does what the answers say, one after the other; after them it takes what it is given.
 */
const run = (table: Table, event: Partial<StreamEvent>, ...answers: ((records: ChangeRecord[]) => unknown)[]) => {
  const given: string[][] = []
  const events: { Records: ChangeRecord[] }[] = []
  const givenUp: string[][] = []
  const stopping = new AbortController()
  const mapping = {
    streams: table.streams,
    streamArn: table.streamArn,
    event: { ...REPORTING, ...event },
    position: table.position,
    invoke: async (one: { Records: ChangeRecord[] }) => {
      events.push(one)
      given.push(one.Records.map(idOf))
      return answers.shift()?.(one.Records)
    },
    giveUp: async ({ records }: { records: ChangeRecord[] }) => {
      givenUp.push(records.map(idOf))
    },
  }
  const ended = untilAborted(stopping.signal, () => runStreamMapping(mapping, stopping.signal))
  return {
    given,
    events,
    givenUp,
    ended,
    /** Ends it when the function was given so many batches, and nothing was pending. */
    until: async (batches: number) => {
      await waitFor(`${batches} batches`, () => given.length >= batches)
      const last = events.at(-1)?.Records.at(-1)?.dynamodb.SequenceNumber
      await waitFor('the position', () => Number(table.place()?.sequenceNumber ?? -1) >= Number(last))
      stopping.abort()
      await ended
      return given
    },
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

const failedFrom = (id: string) => (records: ChangeRecord[]) => ({
  batchItemFailures: records
    .filter((one) => idOf(one) === id)
    .map((one) => ({ itemIdentifier: one.dynamodb.SequenceNumber })),
})
const fails = () => Promise.reject(new Error('the function failed'))

describe('the function is given', () => {
  test('the changes in their order, in batches of the size that was asked for', async () => {
    const table = await newTable()
    await table.put('a1', 'a2', 'a3', 'a4', 'a5')
    expect(await run(table, { batchSize: 2 }).until(3)).toEqual([['a1', 'a2'], ['a3', 'a4'], ['a5']])
  })

  test('each change as Lambda gives it', async () => {
    const table = await newTable()
    const before = Math.floor(Date.now() / 1000)
    await table.put('a1')
    const mapping = run(table, {})
    await mapping.until(1)
    const [record] = mapping.events[0]?.Records ?? []
    expect(record).toMatchObject({
      eventName: 'INSERT',
      eventSourceARN: table.streamArn,
      dynamodb: { Keys: { pk: { S: 'a1' } }, NewImage: { kind: { S: 'a' }, bytes: { B: btoa('a1') } } },
    })
    expect(record?.dynamodb.ApproximateCreationDateTime).toBeGreaterThanOrEqual(before)
    expect(record?.dynamodb.ApproximateCreationDateTime).toBeLessThanOrEqual(Date.now() / 1000)
  })

  test('what its filter lets through, and is not called for nothing', async () => {
    const table = await newTable()
    await table.put('b1', 'a1', 'b2')
    const filterPatterns = [{ dynamodb: { NewImage: { kind: { S: ['a'] } } } }]
    const mapping = run(table, { filterPatterns, batchSize: 1 })
    await waitFor('all to be done with', () => mapping.given.length > 0)
    await table.put('b3', 'a2')
    expect(await mapping.until(2)).toEqual([['a1'], ['a2']])
  })

  test('no change that changes nothing, which dynoxide reports and DynamoDB does not', async () => {
    const table = await newTable()
    await table.put('a1', 'a1', 'a2')
    expect(await run(table, {}).until(1)).toEqual([['a1', 'a2']])
  })

  test('what comes later, as it comes', async () => {
    const table = await newTable()
    await table.put('a1')
    const mapping = run(table, {})
    await waitFor('the first', () => mapping.given.length === 1)
    await table.put('a2')
    expect(await mapping.until(2)).toEqual([['a1'], ['a2']])
  })
})

describe('again comes', () => {
  test('everything from the first change on that the function reports', async () => {
    const table = await newTable()
    await table.put('a1', 'a2', 'a3')
    expect(await run(table, {}, failedFrom('a2')).until(2)).toEqual([
      ['a1', 'a2', 'a3'],
      ['a2', 'a3'],
    ])
  })

  test('the whole batch, when what is reported is not of the batch', async () => {
    const table = await newTable()
    await table.put('a1', 'a2')
    const stranger = () => ({ batchItemFailures: [{ itemIdentifier: '999' }] })
    expect(await run(table, { bisectBatchOnFunctionError: true }, stranger).until(2)).toEqual([
      ['a1', 'a2'],
      ['a1', 'a2'],
    ])
  })

  test('the whole batch, when the function failed', async () => {
    const table = await newTable()
    await table.put('a1', 'a2')
    expect(await run(table, {}, fails).until(2)).toEqual([
      ['a1', 'a2'],
      ['a1', 'a2'],
    ])
  })

  test('each half by itself, in order, when that is wanted', async () => {
    const table = await newTable()
    await table.put('a1', 'a2', 'a3')
    expect(await run(table, { bisectBatchOnFunctionError: true }, fails, fails).until(5)).toEqual([
      ['a1', 'a2', 'a3'],
      ['a1', 'a2'],
      ['a1'],
      ['a2'],
      ['a3'],
    ])
  })

  test('nothing, when the function does not report', async () => {
    const table = await newTable()
    await table.put('a1')
    const mapping = run(table, { functionResponseType: 'none' }, failedFrom('a1'))
    await waitFor('the first', () => mapping.given.length === 1)
    await table.put('a2')
    expect(await mapping.until(2)).toEqual([['a1'], ['a2']])
  })
})

describe('given up', () => {
  test('is what failed as often as serverless.yml says, and the stream goes on', async () => {
    const table = await newTable()
    await table.put('a1', 'a2')
    const mapping = run(table, { batchSize: 1, maximumRetryAttempts: 1 }, fails, fails)
    expect(await mapping.until(3)).toEqual([['a1'], ['a1'], ['a2']])
    expect(mapping.givenUp).toEqual([['a1']])
  })

  test('is only the rest of a batch that got further with each try', async () => {
    const table = await newTable()
    await table.put('a1', 'a2', 'a3')
    const tries = [failedFrom('a2'), failedFrom('a3'), failedFrom('a3')]
    const mapping = run(table, { maximumRetryAttempts: 1 }, ...tries)
    await waitFor('the rest to be given up', () => mapping.givenUp.length > 0)
    expect(await mapping.until(3)).toEqual([['a1', 'a2', 'a3'], ['a2', 'a3'], ['a3']])
    expect(mapping.givenUp).toEqual([['a3']])
  })
})

describe('a mapping that starts again', () => {
  test('goes on after what is done with', async () => {
    const table = await newTable()
    await table.put('a1', 'a2')
    await run(table, {}).until(1)
    await table.put('a3')
    expect(await run(table, {}).until(1)).toEqual([['a3']])
  })

  test('passes unfinished records again after it was stopped', async () => {
    const table = await newTable()
    await table.put('a1', 'a2')
    const first = run(table, {}, failedFrom('a2'))
    await waitFor('the first try', () => first.given.length === 1)
    await first.stop()
    expect(table.place()).toBeUndefined()
    expect(await run(table, {}).until(1)).toEqual([['a1', 'a2']])
  })

  test('starts with the oldest change when its place is gone', async () => {
    const table = await newTable()
    await table.put('a1')
    await table.position.write({ shardId: 'gone', sequenceNumber: '1' })
    const mapping = run(table, {})
    await waitFor('the first', () => mapping.given.length === 1)
    await mapping.stop()
    expect(mapping.given).toEqual([['a1']])
  })

  test('starts with the oldest change that is held when it was away for too long', async () => {
    const table = await newTable()
    await table.put('a1')
    await run(table, {}).until(1)
    const mapping = run({ ...table, streams: lateCall }, {})
    await waitFor('the first', () => mapping.given.length === 1)
    await mapping.stop()
    expect(mapping.given).toEqual([['a1']])
  })

  test('and not from the first change if the position cannot be read for another reason', async () => {
    const table = await newTable()
    await table.put('a1')
    await run(table, {}).until(1)
    const failing: AwsCall = async (operation, input, signal) => {
      if ('SequenceNumber' in input) throw new Error('no answer')
      return streams(operation, input, signal)
    }
    const mapping = run({ ...table, streams: failing }, {})
    await expect(mapping.ended).rejects.toThrow('no answer')
    expect(mapping.given).toEqual([])
  })
})
