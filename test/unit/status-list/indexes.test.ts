/** Indexes of status lists: random, of one list for one request, never given twice; the next list begins in time. */
import { beforeEach, describe, expect, test } from 'vitest'
import { drawIndexes, takeIndex } from '../../../lib/status-list/indexes.ts'
import { ENTRIES, hasList, revocableUntil } from '../../../lib/status-list/lists.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true })
const [DAY, NEXT] = ['2030-05-06T00:00:00.000Z', '2030-05-07T00:00:00.000Z']
const until = new Date('2030-05-05T12:00:00Z')
let issuerId = ''
let issuers = 0
beforeEach(() => {
  issuerId = `issuer-${issuers++}`
  table.way = undefined
})

const drawOnly = (count: number, entries: number) =>
  transaction('acme', (unit) => drawIndexes(unit, { issuerId, count, until }, entries).then((drawn) => drawn.listId))
const draw = (count: number, entries = ENTRIES) =>
  transaction('acme', (unit) => drawIndexes(unit, { issuerId, count, until }, entries))
const take = (index: number, listId = 'names') =>
  transaction('acme', (unit) => takeIndex(unit, { issuerId, listId, index, until }))
const fill = async (share: number, entries: number) => {
  const { listId } = await draw(1, entries)
  for (let index = 0; index < share * entries; index++) await take(index, listId).catch(() => undefined)
  return listId
}

test('a batch has different indexes of one list, of all parts of it', async () => {
  const [first, second] = [await draw(50), await draw(50)]
  expect(second.listId).toBe(first.listId)
  const indexes = [...first.indexes, ...second.indexes]
  expect(new Set(indexes).size).toBe(100)
  expect(Math.max(...indexes)).toBeLessThan(ENTRIES)
  // All of 100 in one half by a chance of 1 in 10^29.
  expect(new Set(indexes.map((index) => Math.floor(index / (ENTRIES / 2)))).size).toBe(2)
  expect(indexes).not.toEqual(indexes.toSorted((a, b) => a - b))
})

test('a draw reads the list and its marks, and writes them', async () => {
  await draw(1)
  table.watch()
  await draw(2)
  expect(table.requests).toEqual(['Query', 'BatchGetItem', 'TransactWriteItems'])
  expect(table.writes).toEqual([2])
})

test('twenty concurrent requests get different ones of one list, which is begun once', async () => {
  const drawn = await Promise.all(Array.from({ length: 20 }, () => draw(10)))
  expect(new Set(drawn.map(({ listId }) => listId)).size).toBe(1)
  expect(new Set(drawn.flatMap(({ indexes }) => indexes)).size).toBe(200)
})

test('two that want the same indexes get different ones', async () => {
  const drawn = await Promise.all([draw(25, 100), draw(25, 100)])
  expect(new Set(drawn.flatMap(({ indexes }) => indexes)).size).toBe(50)
})

describe('a list', () => {
  test('that single credentials have filled to 30 % is still the one in use', async () => {
    const listId = await fill(0.3, 1_000)
    for (let times = 0; times < 100; times++) expect((await draw(1, 1_000)).listId).toBe(listId)
  })

  test('that is 55 % full is followed by another one, which batches get their indexes of', async () => {
    const listId = await fill(0.55, 1_000)
    // In one of five runs, half of a draw happens to be free.
    let next = listId
    for (let times = 0; next === listId && times < 20; times++) next = await drawOnly(50, 1_000)
    const { indexes, ...drawn } = await draw(50, 1_000)
    expect(drawn.listId).toBe(next)
    expect(next).not.toBe(listId)
    expect(indexes).toHaveLength(50)
  })

  test('that is full is followed by the same one for all concurrent requests', async () => {
    const listId = await fill(0.9, 200)
    const drawn = await Promise.all(Array.from({ length: 5 }, () => draw(10, 200)))
    const [next] = new Set(drawn.map((one) => one.listId))
    expect(drawn.every((one) => one.listId === next && next !== listId)).toBe(true)
  })

  test('is its issuer’s and tenant’s only', async () => {
    const { listId } = await draw(1)
    expect(listId).toMatch(/^[\w-]{22}$/)
    expect(await hasList('acme', issuerId, listId)).toBe(true)
    expect(await hasList('acme', 'other', listId)).toBe(false)
    expect(await hasList('globex', issuerId, listId)).toBe(false)
  })
})

describe('an index that the tenant chooses', () => {
  test('is taken once, of a named list', async () => {
    await take(7)
    await expect(take(7)).rejects.toMatchObject({ code: 'status.index_taken' })
    await take(8)
    expect(await hasList('acme', issuerId, 'names')).toBe(true)
    const twice = transaction('acme', async (unit) => {
      for (const _ of [1, 2]) await takeIndex(unit, { issuerId, listId: 'names', index: 9, until })
    })
    await expect(twice).rejects.toMatchObject({ code: 'status.index_taken' })
  })

  test('is within the list', async () => {
    await take(ENTRIES - 1)
    await expect(take(ENTRIES)).rejects.toMatchObject({ code: 'status.index_taken' })
  })

  test('is not drawn, and one that was drawn cannot be chosen', async () => {
    const listId = await fill(0.4, 200)
    const { indexes } = await draw(50, 200)
    expect(indexes.filter((index) => index < 80)).toEqual([])
    await expect(take(Number(indexes[0]), listId)).rejects.toMatchObject({ code: 'status.index_taken' })
  })
})

test('an issuer has revocable credentials until the end of the last day, which is noted once', async () => {
  const ends = () => transaction('acme', async (unit) => (await revocableUntil(unit, issuerId))?.toISOString())
  const drawUntil = (time: string) =>
    transaction('acme', (unit) => drawIndexes(unit, { issuerId, count: 1, until: new Date(time) }))
  expect(await ends()).toBeUndefined()
  await draw(1)
  expect(await ends()).toBe(DAY)
  await drawUntil('2030-05-06T00:00:00.001Z')
  expect(await ends()).toBe(NEXT)
  table.watch()
  await drawUntil('2030-05-06T12:00:00Z')
  await drawUntil('2029-05-06T12:00:00Z')
  expect(table.requests).not.toContain('UpdateItem')
  expect(await ends()).toBe(NEXT)
  await transaction('acme', (unit) =>
    takeIndex(unit, { issuerId, listId: 'names', index: 1, until: new Date('2031-01-01T00:00:00Z') }),
  )
  expect(await ends()).toBe('2031-01-01T00:00:00.000Z')
})
