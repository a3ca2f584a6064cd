/** Lists of exchanges: all of an agent, and those that filters choose. */

import { beforeAll, beforeEach, expect, test } from 'vitest'
import { credentialRecords } from '../../../lib/records/kinds.ts'
import { indexEntries } from '../../../lib/store/index-entries.ts'
import { listFiltered } from '../../../lib/store/record-lists.ts'
import { type StoredRecord, toRecordItem } from '../../../lib/store/stored-record.ts'
import { ACME, storedRecord } from './records.ts'
import { useTable } from './use-table.ts'

const table = await useTable({ check: false })

beforeEach(() => table.watch())

const put = async (records: StoredRecord[]): Promise<void> =>
  table.putAll(records.flatMap((record) => [toRecordItem(record), ...indexEntries(record).values()]))

/** Ids of all pages, a page each. */
const pages = async (filters: Record<string, string>, limit = 1_000, tenant = ACME): Promise<unknown[][]> => {
  const all: unknown[][] = []
  let cursor: string | undefined
  do {
    const page = await listFiltered(tenant, credentialRecords, { ...filters, limit, order: 'asc', cursor })
    all.push(page.entries.map(({ value }) => value.id))
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

/** Connection `connection-1` has the first three. Of `state` the tags tell, of `role` the record alone. */
const exchanges = ['a', 'b', 'c', 'd'].map((id, index) =>
  storedRecord({
    type: 'CredentialRecord',
    id,
    tags: {
      threadId: `thread-${id}`,
      connectionId: index < 3 ? 'connection-1' : 'connection-2',
      ...(index % 2 === 1 && { parentThreadId: 'parent' }),
      state: index === 0 ? 'done' : 'offer-sent',
    },
    value: { role: index < 2 ? 'issuer' : 'holder' },
  }),
)
beforeAll(() => put(exchanges))

test.each<[Record<string, string>, string[], string[]]>([
  [{}, ['a', 'b', 'c', 'd'], ['Query']],
  [{ state: 'offer-sent' }, ['b', 'c', 'd'], ['Query']],
  [{ role: 'holder' }, ['c', 'd'], ['Query']],
  [{ role: 'issuer', state: 'done' }, ['a'], ['Query']],
  [{ threadId: 'thread-b' }, ['b'], ['Query', 'GetItem']],
  [{ parentThreadId: 'parent' }, ['b', 'd'], ['Query', 'BatchGetItem']],
  [{ connectionId: 'connection-1' }, ['a', 'b', 'c'], ['Query', 'BatchGetItem']],
  [{ connectionId: 'connection-1', role: 'holder' }, ['c'], ['Query', 'BatchGetItem']],
  [{ threadId: 'thread-a', connectionId: 'connection-2' }, [], ['Query', 'GetItem']],
  [{ threadId: 'none' }, [], ['Query']],
])('%j finds %j with one request, or two through an index', async (filters, ids, requests) => {
  expect(await pages(filters)).toEqual([ids])
  expect(table.requests).toEqual(requests)
})

test('a page at a time, through an index too', async () => {
  expect(await pages({}, 3)).toEqual([['a', 'b', 'c'], ['d']])
  expect(await pages({ connectionId: 'connection-1' }, 2)).toEqual([['a', 'b'], ['c']])
})

test('of another agent it finds nothing', async () => {
  expect(await pages({}, 10, 'other')).toEqual([[]])
  expect(await pages({ threadId: 'thread-a' }, 10, 'other')).toEqual([[]])
})

test('a record that is gone while its entry is still there is left out', async () => {
  const [gone, left] = [1, 2].map(() => storedRecord({ type: 'CredentialRecord', tags: { connectionId: 'going' } }))
  if (gone === undefined || left === undefined) throw new Error('two were made')
  await put([left])
  await table.putAll([...indexEntries(gone).values()])
  expect(await pages({ connectionId: 'going' })).toEqual([[left.id]])
})

test('many large records of one connection come in pages of 1 MB, each of them once', async () => {
  const large = Array.from({ length: 120 }, () =>
    storedRecord({
      type: 'CredentialRecord',
      tags: { connectionId: 'large' },
      value: { credentialAttributes: 'x'.repeat(60_000) },
    }),
  )
  await put(large)
  const all = await pages({ connectionId: 'large' })
  expect(all.flat()).toEqual(large.map(({ id }) => id))
  for (const page of all) expect(page.length).toBeLessThanOrEqual(17)
})
