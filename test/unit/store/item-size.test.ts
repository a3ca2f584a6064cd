/** The size of an item, as the table measures it. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { itemBytes } from '../../../lib/store/item.ts'
import type { Item } from '../../../lib/store/table.ts'
import { type Dynamo, startDynamo } from '../../support/table/dynamo.ts'

const LIMIT = 400 * 1024

let dynamo: Dynamo

beforeAll(async () => {
  dynamo = await startDynamo()
})
afterAll(() => dynamo.stop())

const isTaken = (item: Item): Promise<boolean> =>
  dynamo.client.send(new PutItemCommand({ TableName: dynamo.table, Item: item })).then(
    () => true,
    () => false,
  )
/** The item with one more attribute that fills it up to a size. */
const filled = (item: Item, bytes: number): Item => ({
  ...item,
  filler: { S: 'x'.repeat(bytes - itemBytes(item) - 6) },
})

test.each<[string, Item]>([
  ['text', { value: { S: 'plain' } }],
  ['text of several bytes a character', { välue: { S: 'ü\u{1f600}' } }],
  ['bytes', { sealed: { B: new Uint8Array(100) } }],
  ['a flag', { flag: { BOOL: true } }],
])('should be what fits into the table to the byte, with %s', async (_name, attributes) => {
  const item = { pk: { S: 'p' }, sk: { S: '~' }, ...attributes }
  expect(await isTaken(filled(item, LIMIT))).toBe(true)
  expect(await isTaken(filled(item, LIMIT + 1))).toBe(false)
})

test('should never be less than the table says, with numbers', async () => {
  for (const N of ['1', '1785000000', '-12345678901234567890123456789012345678', '1e-30'])
    expect(await isTaken(filled({ pk: { S: 'p' }, sk: { S: '~' }, version: { N } }, LIMIT))).toBe(true)
})
