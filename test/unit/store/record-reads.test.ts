/** Reads outside of a unit of work: a record, the records of a tag, and lists page by page. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { basicMessageRecords, connectionRecords, proofRecords } from '../../../lib/records/kinds.ts'
import { tagPartition } from '../../../lib/store/index-entries.ts'
import type { ListQuery } from '../../../lib/store/item-list.ts'
import { encodeCursor } from '../../../lib/store/item-list.ts'
import { filterBy, type ListFilter, listRecords, readTagged, requireRecord } from '../../../lib/store/record-reads.ts'
import { type StoredRecord, toRecordItem } from '../../../lib/store/stored-record.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { ACME, newRecord, storedRecord } from './records.ts'
import { useTable } from './use-table.ts'

const NOT_FOUND = expect.objectContaining({ code: 'resource.not_found' })
const MALFORMED = expect.objectContaining({ code: 'request.malformed' })

const table = await useTable({ check: false })

beforeEach(() => table.watch())

/** Basic messages of a connection; their list is a separate partition. */
const fillList = async (name: string, count: number, content: (index: number) => object = () => ({})) => {
  const partition = tagPartition(ACME, basicMessageRecords, 'connectionId', name)
  const messages = Array.from({ length: count }, (_, index) =>
    storedRecord({ type: 'BasicMessageRecord', tags: { connectionId: name }, value: { index, ...content(index) } }),
  )
  await table.putAll(messages.map(toRecordItem))
  return { partition, messages }
}
const indexOf = ({ value }: { value: StoredRecord['value'] }): number => Number(value.index)

/** All pages of a list, as the places of the records in it. */
const pages = async (partition: string, query: Omit<ListQuery, 'cursor'>, filter?: ListFilter): Promise<number[][]> => {
  const all: number[][] = []
  let cursor: string | undefined
  do {
    const page = await listRecords(partition, { ...query, cursor }, filter)
    all.push(page.entries.map(indexOf))
    cursor = page.next
  } while (cursor !== undefined)
  return all
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a record', () => {
  test('should be read with one request, as it was written', async () => {
    const record = newRecord({ tags: { did: 'did:read', connectionTypes: ['a'] }, value: { alias: 'Bob' } })
    await transaction(ACME, async (unit) => unit.insert(record))
    table.watch()
    expect(await requireRecord(ACME, record.type, record.id)).toMatchObject({ value: record.value, tags: record.tags })
    expect(table.requests).toEqual(['GetItem'])
  })

  test('should not be found for another tenant, type or id', async () => {
    const record = newRecord()
    await transaction(ACME, async (unit) => unit.insert(record))
    await expect(requireRecord('other', record.type, record.id)).rejects.toThrow(NOT_FOUND)
    await expect(requireRecord(ACME, 'ProofRecord', record.id)).rejects.toThrow(NOT_FOUND)
    await expect(requireRecord(ACME, record.type, 'unknown')).rejects.toThrow(NOT_FOUND)
  })
})

describe('the records of a tag', () => {
  test('should be read through an index without copies', async () => {
    const { type } = proofRecords
    const records = upTo(3).map(() => newRecord({ type, tags: { connectionId: 'c1' } }))
    await transaction(ACME, async (unit) => {
      for (const record of records) unit.insert(record)
      unit.insert(newRecord({ type, tags: { connectionId: 'c2' } }))
    })
    table.watch()
    const read = await readTagged(ACME, proofRecords, 'connectionId', 'c1')
    expect(read.map(({ value }) => value.id).sort()).toEqual(records.map(({ id }) => id).sort())
    expect(table.requests).toEqual(['Query', 'BatchGetItem'])
    expect(await readTagged(ACME, proofRecords, 'connectionId', 'none')).toEqual([])
    expect(await readTagged('other', proofRecords, 'connectionId', 'c1')).toEqual([])
    await expect(readTagged(ACME, proofRecords, 'role', 'sender')).rejects.toMatchObject({
      code: 'store.query_not_indexed',
    })
  })
})

describe('a list', () => {
  const partitions = new Map<number, string>()
  beforeAll(async () => {
    for (const size of [100, 2_500]) partitions.set(size, (await fillList(`list-of-${size}`, size)).partition)
  })

  test.each([
    [100, 1, 'asc'],
    [100, 1, 'desc'],
    [100, 7, 'asc'],
    [100, 7, 'desc'],
    [2_500, 1_000, 'asc'],
    [2_500, 1_000, 'desc'],
  ] as const)('of %i records should be shown %i at a time, %s, each of them once', async (size, limit, order) => {
    const all = await pages(partitions.get(size) ?? '', { limit, order })
    expect(all.flat()).toEqual(order === 'asc' ? upTo(size) : upTo(size).reverse())
    expect(all).toHaveLength(Math.ceil(size / limit))
    for (const page of all.slice(0, -1)) expect(page).toHaveLength(limit)
  })
})

describe('a page', () => {
  test('should have no next one at the exact end, and none where there is nothing', async () => {
    const { partition } = await fillList('exact', 6)
    expect(await pages(partition, { limit: 3, order: 'asc' })).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ])
    expect(await pages(partition, { limit: 6, order: 'asc' })).toEqual([[0, 1, 2, 3, 4, 5]])
    expect(await pages(partition, { limit: 7, order: 'desc' })).toEqual([[5, 4, 3, 2, 1, 0]])
    expect(await listRecords('acme|none', { limit: 3, order: 'asc' })).toEqual({ entries: [] })
  })

  test('should take one request', async () => {
    const { partition } = await fillList('requests', 6)
    const { next } = await listRecords(partition, { limit: 3, order: 'asc' })
    await listRecords(partition, { limit: 3, order: 'asc', cursor: next })
    expect(table.requests).toEqual(['Query', 'Query'])
  })

  test('should end at 1 MB and go on from there, in both orders', async () => {
    const { partition } = await fillList('large', 30, () => ({ content: 'x'.repeat(100_000) }))
    for (const order of ['asc', 'desc'] as const) {
      const all = await pages(partition, { limit: 1_000, order })
      expect(all.length).toBeGreaterThan(2)
      expect(all.flat()).toEqual(order === 'asc' ? upTo(30) : upTo(30).reverse())
    }
  })

  test('should show what came after its cursor was made, in its order', async () => {
    const { partition } = await fillList('growing', 3)
    const first = await listRecords(partition, { limit: 2, order: 'asc' })
    const { messages } = await fillList('growing', 1, () => ({ index: 99 }))
    const second = await listRecords(partition, { limit: 9, order: 'asc', cursor: first.next })
    expect(second.entries.map(indexOf)).toEqual([2, 99])
    expect(second.entries.at(-1)).toMatchObject({ value: { id: messages[0]?.id } })
  })

  test('should go on from the position of a cursor in its own list, and show nothing of another', async () => {
    const [{ partition }, { partition: other }] = [await fillList('own', 3), await fillList('theirs', 3)]
    const { next: cursor } = await listRecords(partition, { limit: 2, order: 'asc' })
    const shown = async (of: string, order: 'asc' | 'desc', filter?: ListFilter) =>
      (await listRecords(of, { limit: 5, order, cursor }, filter)).entries
    expect((await shown(partition, 'asc')).map(indexOf)).toEqual([2])
    expect((await shown(partition, 'desc')).map(indexOf)).toEqual([0])
    expect((await shown(partition, 'asc', (record) => indexOf(record) !== 2)).map(indexOf)).toEqual([])
    for (const { tags } of await shown(other, 'desc')) expect(tags).toEqual({ connectionId: 'theirs' })
    expect((await shown(other, 'desc')).length + (await shown(other, 'asc')).length).toBe(3)
  })

  test('should not begin at what is no position', async () => {
    const { partition } = await fillList('positions', 3)
    table.watch()
    for (const cursor of ['x', 'AAAA', encodeCursor('2026-01-01'), encodeCursor(`${partition} -`)])
      await expect(listRecords(partition, { limit: 1, order: 'asc', cursor })).rejects.toThrow(MALFORMED)
    expect(table.requests).toEqual([])
  })
})

describe('a filter', () => {
  const every =
    (step: number): ListFilter =>
    ({ value }) =>
      Number(value.index) % step === 0

  test('should end its page once enough is shown, however few that are', async () => {
    const { partition } = await fillList('heavy', 30, () => ({ content: 'x'.repeat(100_000) }))
    const all = await pages(partition, { limit: 1_000, order: 'asc' }, every(1))
    expect(all.flat()).toEqual(upTo(30))
    expect(all.length).toBe(table.requests.length)
  })

  test.each([1, 2, 5, 100])('should show what passes it, %i at a time, each once', async (limit) => {
    const { partition } = await fillList(`filtered ${limit}`, 40)
    for (const order of ['asc', 'desc'] as const) {
      const expected = upTo(40).filter((index) => index % 3 === 0)
      const all = await pages(partition, { limit, order }, every(3))
      expect(all.flat()).toEqual(order === 'asc' ? expected : expected.reverse())
      for (const page of all) expect(page.length).toBeLessThanOrEqual(limit)
    }
  })

  test('should not unpack more than 10 MB for a page, though it shows nothing of that', async () => {
    const { partition } = await fillList('packed', 60, () => ({ content: 'x'.repeat(390_000) }))
    expect(await pages(partition, { limit: 1, order: 'asc' }, () => false)).toEqual([[], [], []])
  })

  test('that nothing passes should end, page by page', async () => {
    const { partition } = await fillList('nothing', 1_100)
    const all = await pages(partition, { limit: 1, order: 'asc' }, () => false)
    expect(all.flat()).toEqual([])
    expect(table.requests.length).toBeLessThan(40)
    expect(all.length).toBeGreaterThan(1)
  })
})

test('a did:peer:4 is found in either form, whichever was stored', () => {
  const [short, long] = ['did:peer:4zQmHash', 'did:peer:4zQmHash:z6MkDocument']
  const finds = (theirDid: string, known: string) =>
    filterBy(connectionRecords, { theirDid })?.(storedRecord({ value: { theirDid: known }, tags: {} }))
  for (const known of [short, long]) for (const theirDid of [short, long]) expect(finds(theirDid, known)).toBe(true)
  for (const other of ['did:peer:4zQmOther', `${short}:z6MkOther`]) expect(finds(other, long)).toBe(false)
})

test('the text undefined is no name for a field that a record lacks', () => {
  const finds = filterBy(connectionRecords, { theirLabel: 'undefined' })
  expect(finds?.(storedRecord({ value: {}, tags: {} }))).toBe(false)
  expect(finds?.(storedRecord({ value: { theirLabel: 'undefined' }, tags: {} }))).toBe(true)
})
