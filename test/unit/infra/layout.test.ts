/** The version of a new table's layout. */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { ensureLayout } from '../../../infra/layout.ts'
import { LAYOUT_ITEM } from '../../../lib/store/layout.ts'
import { type Answers, answerCommands } from '../../support/aws/answers.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const ensure = async (answers: Answers) => {
  const sent = answerCommands(answers)
  const mismatch = await ensureLayout(new DynamoDBClient({ region: 'eu-central-1' }), 'agent')
  return { mismatch, last: sent.mock.lastCall?.[0].input }
}
const EMPTY = { ScanCommand: { Items: [] } }

test('is written to an empty table, unless another process has just done so', async () => {
  const ConditionExpression = 'attribute_not_exists(pk)'
  expect(await ensure({ ...EMPTY, PutItemCommand: {} })).toEqual({
    mismatch: undefined,
    last: { TableName: 'agent', Item: LAYOUT_ITEM, ConditionExpression },
  })
  const written = new ConditionalCheckFailedException({ message: 'it is there', $metadata: {} })
  expect(await ensure({ ...EMPTY, PutItemCommand: written })).toMatchObject({ mismatch: undefined })
})

test('is not taken for written where that failed', async () => {
  await expect(ensure({ ...EMPTY, PutItemCommand: new Error('throttled') })).rejects.toThrow('throttled')
})

test('is not written beside what a table has', async () => {
  const Items = [{}]
  expect((await ensure({ ScanCommand: { Items }, GetItemCommand: {} })).mismatch).toBe('has no layout version')
  expect((await ensure({ ScanCommand: { Items }, GetItemCommand: { Item: LAYOUT_ITEM } })).mismatch).toBeUndefined()
})

test('is read as it is now: what another process has just written counts', async () => {
  const sent = answerCommands({ ScanCommand: { Items: [{}] }, GetItemCommand: { Item: LAYOUT_ITEM } })
  await ensureLayout(new DynamoDBClient({ region: 'eu-central-1' }), 'agent')
  expect(sent.mock.calls.map(([{ input }]) => input.ConsistentRead)).toEqual([true, true])
})
