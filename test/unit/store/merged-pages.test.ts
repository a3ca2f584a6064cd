/** A list that is spread over partitions reads as one: in order, each item once, whatever the pages are cut to. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { queryMerged } from '../../../lib/store/merged-pages.ts'
import type { Item } from '../../../lib/store/table.ts'
import { useTable } from './use-table.ts'

const table = await useTable({ check: false })
let lists = 0

const item = (pk: string, sk: string, size = 0): Item => ({ pk: { S: pk }, sk: { S: sk }, x: { S: 'x'.repeat(size) } })

/** Writes a list of items, each given as its partition and its sort key. Returns the names of the partitions. */
const write = async (count: number, items: [partition: number, sk: string, size?: number][]): Promise<string[]> => {
  lists += 1
  const partitions = Array.from({ length: count }, (_, number) => `list${lists}|${number}`)
  await table.putAll(items.map(([partition, sk, size]) => item(partitions[partition] ?? '', sk, size)))
  return partitions
}

/** The sort keys of all pages. */
const pages = async (partitions: string[], limit: number, descending: boolean): Promise<string[][]> => {
  const read: string[][] = []
  let after: string | undefined
  do {
    const page = await queryMerged(partitions, { limit, descending, after })
    read.push(page.items.map(({ sk }) => sk?.S ?? ''))
    after = page.next
  } while (after !== undefined)
  return read
}

describe.each([
  ['ascending', false],
  ['descending', true],
])('%s', (_name, descending) => {
  const sorted = (keys: string[]) => (descending ? keys.toSorted().reverse() : keys.toSorted())

  test('every list is read whole, in order, each item once, in pages of the limit', async () => {
    const keys = fc.uniqueArray(
      fc.tuple(
        fc.nat(3),
        fc.string({ unit: fc.constantFrom('0', '1', '8', 'a', 'f', '#'), minLength: 1, maxLength: 4 }),
      ),
      {
        selector: ([, key]) => key,
        maxLength: 25,
      },
    )
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 30 }), async (items, limit) => {
        const partitions = await write(4, items)
        const read = await pages(partitions, limit, descending)
        expect(read.flat()).toEqual(sorted(items.map(([, key]) => key)))
        for (const page of read) expect(page.length).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 25 },
    )
  })

  test('no item is skipped if the page of one partition ends at 1 MB and other pages do not', async () => {
    const large = Array.from({ length: 9 }, (_, index): [number, string, number] => [0, `k${index}5`, 300 * 1024])
    const small = Array.from({ length: 9 }, (_, index): [number, string] => [1, `k${index}0`])
    const partitions = await write(2, [...large, ...small])
    const read = await pages(partitions, 100, descending)
    expect(read.flat()).toEqual(sorted([...large, ...small].map(([, key]) => key)))
  })

  test('a page of all partitions together is 1 MB at most, and one item at least', async () => {
    const items = Array.from({ length: 8 }, (_, index): [number, string, number] => [index, `k${index}`, 300 * 1024])
    const read = await pages(await write(8, items), 100, descending)
    expect(read.map(({ length }) => length)).toEqual([3, 3, 2])
  })
})

test('it goes on after a key of any partition, also one that is not there', async () => {
  const partitions = await write(2, [
    [0, 'a'],
    [1, 'b'],
    [0, 'c'],
  ])
  const after = async (key: string) =>
    (await queryMerged(partitions, { limit: 10, after: key })).items.map(({ sk }) => sk?.S)
  expect(await after('a')).toEqual(['b', 'c'])
  expect(await after('aa')).toEqual(['b', 'c'])
  expect(await after('c')).toEqual([])
})

test('no partition is an empty list', async () => {
  expect(await queryMerged(await write(3, []), { limit: 1 })).toEqual({ items: [] })
})
