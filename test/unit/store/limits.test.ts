/** Counters with a maximum: exact for concurrent requests, without conflicts, and reset with each window. */
import { expect, test } from 'vitest'
import { consumeRateLimit, withConcurrencyLimit } from '../../../lib/store/limits.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

// Its counts belong to no record.
const table = await useTable({ check: false, stream: false })

/** The begin of a window. */
const NOW = 60 * 30_000_000
const count = (of: string) => ({ tenant: 'acme', of, seconds: 60, max: 20, message: 'too many' })
const EXCEEDED = { code: 'quota.exceeded' }

const items = async () => (await table.items()).filter(({ kind }) => kind?.S === 'count')

test('of 60 concurrent requests the maximum is counted, each by one request, and the rest get Retry-After', async () => {
  table.watch()
  const counted = await Promise.allSettled(Array.from({ length: 60 }, () => consumeRateLimit(count('once'), NOW + 15)))
  const rejected = counted.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(rejected).toHaveLength(40)
  for (const error of rejected) expect(error).toMatchObject({ ...EXCEEDED, retryAfter: 45 })
  expect(new Set(table.requests)).toEqual(new Set(['UpdateItem']))
  expect(await items()).toMatchObject([{ count: { N: '20' } }])
})

test('what is known to have reached its maximum is rejected without a request, until its window is over', async () => {
  for (let number = 0; number < 20; number++) await consumeRateLimit(count('again'), NOW)
  await expect(consumeRateLimit(count('again'), NOW)).rejects.toMatchObject(EXCEEDED)
  table.watch()
  await expect(consumeRateLimit(count('again'), NOW + 59)).rejects.toMatchObject({ retryAfter: 1 })
  expect(table.requests).toEqual([])
  await consumeRateLimit(count('again'), NOW + 60)
  // In seconds: a minute after the window.
  const expiries = (await items()).flatMap(({ pk, expiresAt }) =>
    pk?.S?.includes('again') ? [Number(expiresAt?.N)] : [],
  )
  expect(expiries.toSorted()).toEqual([NOW + 120, NOW + 180])
})

test('what runs is counted until it ends, however it ends', async () => {
  const one = { ...count('running'), max: 1 }
  const held = Promise.withResolvers<void>()
  const running = withConcurrencyLimit(one, () => held.promise, NOW)
  await expect.poll(async () => (await items()).some(({ pk }) => pk?.S?.includes('running'))).toBe(true)
  await expect(withConcurrencyLimit(one, async () => undefined, NOW)).rejects.toMatchObject({
    ...EXCEEDED,
    retryAfter: 1,
  })
  held.resolve()
  await running
  await expect(withConcurrencyLimit(one, () => Promise.reject(new TypeError('it fails')), NOW)).rejects.toThrow(
    TypeError,
  )
  expect(await withConcurrencyLimit(one, async () => 'done', NOW)).toBe('done')
})

test('what has run has its result, though the table does not count that it has ended', async () => {
  let calls = 0
  table.way = async (_, send) => {
    calls += 1
    if (calls === 2) throw failure('ValidationException')
    await send()
  }
  expect(await withConcurrencyLimit(count('unheard'), async () => 'done', NOW)).toBe('done')
  table.way = undefined
  expect(calls).toBe(2)
})

test('a count that has expired while something ran is not made again', async () => {
  const isThere = async () => (await items()).some(({ pk }) => pk?.S?.includes('expiring'))
  await withConcurrencyLimit(
    count('expiring'),
    async () => {
      expect(await isThere()).toBe(true)
      for (const { pk, sk } of await items())
        if (pk?.S?.includes('expiring')) await removeIf({ pk: pk.S, sk: sk?.S ?? '' })
    },
    NOW,
  )
  expect((await table.items()).filter(({ pk }) => pk?.S?.includes('expiring'))).toEqual([])
})
