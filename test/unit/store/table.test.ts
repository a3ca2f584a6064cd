/** Reads of the table: consistent, whole, blind to what has expired, and plain about what went wrong. */
import type { BatchGetItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import { toStoreError } from '../../../lib/store/aws-errors.ts'
import { dynamodb } from '../../../lib/store/client.ts'
import {
  epochSeconds,
  getItem,
  getItems,
  type Item,
  isLive,
  type PartitionRead,
  queryAll,
  queryPage,
  toKey,
} from '../../../lib/store/table.ts'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

/** Pauses in ms, none of which is waited for. */
const paused: number[] = []
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void paused.push(ms) }))

const table = await useTable({ check: false })

beforeEach(() => {
  table.watch()
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

const number = (index: number) => String(index).padStart(4, '0')
const addresses = (pk: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ pk, sk: number(index) }))
const fill = (pk: string, count: number, content: Item = {}) =>
  table.putAll(addresses(pk, count).map((address) => ({ ...toKey(address), ...content })))
const sortKeys = (items: Item[]) => items.map(({ sk }) => sk?.S)

describe('an item that has expired', () => {
  const expiring = (seconds: number): Item => ({ expiresAt: { N: String(epochSeconds() + seconds) } })

  test('should not be found, whether TTL has deleted it or not', async () => {
    await table.putAll([
      { ...toKey({ pk: 'expiry', sk: 'gone' }), ...expiring(-1) },
      { ...toKey({ pk: 'expiry', sk: 'now' }), ...expiring(0) },
      { ...toKey({ pk: 'expiry', sk: 'soon' }), ...expiring(60) },
      toKey({ pk: 'expiry', sk: 'stays' }),
    ])
    const all = ['gone', 'now', 'soon', 'stays'].map((sk) => ({ pk: 'expiry', sk }))
    expect(await Promise.all(all.map(getItem))).toEqual([undefined, undefined, expect.any(Object), expect.any(Object)])
    expect(sortKeys(await getItems(all)).sort()).toEqual(['soon', 'stays'])
    expect(sortKeys(await queryAll('expiry'))).toEqual(['soon', 'stays'])
    expect(sortKeys((await queryPage('expiry')).items)).toEqual(['soon', 'stays'])
  })

  test('should be live up to the second that it names', () => {
    expect(isLive({ expiresAt: { N: '100' } }, 99)).toBe(true)
    expect(isLive({ expiresAt: { N: '100' } }, 100)).toBe(false)
    expect(isLive({}, 100)).toBe(true)
    expect(isLive(undefined)).toBe(false)
  })
})

test('every read is strongly consistent', async () => {
  const send = vi.spyOn(dynamodb(), 'send')
  await getItem({ pk: 'consistent', sk: '-' })
  await getItems(addresses('consistent', 2))
  await queryPage('consistent')
  const inputs = send.mock.calls.map(([{ input }]) => input)
  expect(inputs).toMatchObject([
    { ConsistentRead: true },
    { RequestItems: { [table.dynamo.table]: { ConsistentRead: true } } },
    { ConsistentRead: true },
  ])
})

describe('many items', () => {
  test('should be read in as few requests as they fit in', async () => {
    await fill('many', 250)
    const wanted = [...addresses('many', 250), { pk: 'many', sk: 'not there' }]
    expect(sortKeys(await getItems(wanted)).sort()).toEqual(addresses('many', 250).map(({ sk }) => sk))
    expect(table.requests).toEqual(['BatchGetItem', 'BatchGetItem', 'BatchGetItem'])
  })

  test('should be read with no request where none is asked for, and a plain one where one is', async () => {
    await fill('one', 1)
    expect(await getItems([])).toEqual([])
    expect(table.requests).toEqual([])
    expect(await getItems(addresses('one', 1))).toHaveLength(1)
    expect(await getItems([{ pk: 'one', sk: 'not there' }])).toEqual([])
    expect(table.requests).toEqual(['GetItem', 'GetItem'])
  })

  test('should be read to the end if one response does not hold them', async () => {
    // 20 MB: BatchGetItem returns 16 MB at most, Query 1 MB.
    await Promise.all([0, 1].map((part) => fill(`large${part}`, 25, { value: { S: 'x'.repeat(390_000) } })))
    const wanted = [...addresses('large0', 25), ...addresses('large1', 25)]
    expect(await getItems(wanted)).toHaveLength(50)
    expect(table.requests.length).toBeGreaterThan(1)
    table.watch()
    expect(sortKeys(await queryAll('large0'))).toEqual(addresses('large0', 25).map(({ sk }) => sk))
    expect(table.requests.length).toBeGreaterThan(5)
  })
})

describe('items that a throttled table does not read', () => {
  /** BatchGetItem reads nothing of `times` requests: all keys are unprocessed. */
  const throttle = (times: number) => {
    const asked: number[] = []
    vi.spyOn(dynamodb(), 'send').mockImplementation(((command: BatchGetItemCommand) => {
      const { RequestItems = {} } = command.input
      asked.push(Object.values(RequestItems)[0]?.Keys?.length ?? 0)
      return Promise.resolve(asked.length <= times ? { Responses: {}, UnprocessedKeys: RequestItems } : {})
    }) as never)
    return asked
  }
  beforeEach(() => paused.splice(0))

  test('should be asked for again with growing pauses and jitter, a few times, and be store.unavailable then', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const asked = throttle(Number.POSITIVE_INFINITY)
    await expect(getItems(addresses('throttled', 3))).rejects.toMatchObject({ code: 'store.unavailable' })
    expect(asked.length).toBeLessThanOrEqual(8)
    expect(paused).toHaveLength(asked.length - 1)
    expect(paused).toEqual(paused.map((_, index) => (paused[0] ?? 0) * 2 ** index))
    expect(paused.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(5_000)
    expect(paused[0]).toBeGreaterThan(0)
  })

  test('should be read where the table takes the requests again', async () => {
    const asked = throttle(2)
    expect(await getItems(addresses('throttled', 3))).toEqual([])
    expect(asked).toEqual([3, 3, 3])
  })
})

describe('a page of a partition', () => {
  test('should hold what was asked for, in both orders, and say where to go on', async () => {
    await fill('page', 5)
    expect(await queryPage('page', { limit: 2 })).toMatchObject({ items: [{}, {}], next: '0001' })
    expect(sortKeys((await queryPage('page', { limit: 2, after: '0001' })).items)).toEqual(['0002', '0003'])
    expect(sortKeys((await queryPage('page', { limit: 9, after: '0003' })).items)).toEqual(['0004'])
    expect(sortKeys((await queryPage('page', { descending: true, limit: 2 })).items)).toEqual(['0004', '0003'])
    expect(await queryPage('page', { descending: true, after: '0002' })).toEqual({
      items: [toKey({ pk: 'page', sk: '0001' }), toKey({ pk: 'page', sk: '0000' })],
    })
    expect(await queryPage('no such partition')).toEqual({ items: [] })
  })
})

describe('a range of a partition', () => {
  test('should hold its first and its last sort key, and go on in pages', async () => {
    await fill('range', 6)
    const read = async (range: PartitionRead) => sortKeys((await queryPage('range', range)).items)
    expect(await read({ from: '0002', to: '0004' })).toEqual(['0002', '0003', '0004'])
    expect(await read({ from: '0004' })).toEqual(['0004', '0005'])
    expect(await read({ to: '0001' })).toEqual(['0000', '0001'])
    expect(await read({ from: '00021', to: '00029' })).toEqual([])
    expect(await queryPage('range', { from: '0002', to: '0004', limit: 1 })).toMatchObject({ next: '0002' })
    expect(await read({ from: '0002', to: '0004', after: '0002' })).toEqual(['0003', '0004'])
  })
})

describe('an error', () => {
  const reads: [string, () => Promise<unknown>][] = [
    ['GetItem', () => getItem({ pk: 'a', sk: 'b' })],
    ['BatchGetItem', () => getItems(addresses('a', 2))],
    ['Query', () => queryAll('a')],
  ]

  test.each(reads)('of %s that stays should be store.unavailable', async (_name, read) => {
    const cause = failure('ThrottlingException')
    table.way = () => Promise.reject(cause)
    await expect(read()).rejects.toMatchObject({ code: 'store.unavailable', cause })
  })

  test.each(reads)('of %s that passes should not be noticed', async (_name, read) => {
    let tries = 0
    table.way = (_command, send) => (++tries < 3 ? Promise.reject(failure('TimeoutError')) : send())
    await read()
    expect(tries).toBe(3)
  })

  test.each([
    ['ThrottlingException', {}],
    ['ProvisionedThroughputExceededException', {}],
    ['RequestLimitExceeded', {}],
    ['LimitExceededException', {}],
    ['InternalServerError', {}],
    ['InternalFailure', {}],
    ['TransactionInProgressException', {}],
    ['ServiceUnavailable', {}],
    ['NetworkingError', {}],
    ['KMSInternalException', { $fault: 'server' }],
    ['TimeoutError', { code: 'ETIMEDOUT' }],
    ['Error', { code: 'ECONNREFUSED' }],
    ['Error', { code: 'ECONNRESET' }],
    ['Error', { code: 'EPIPE' }],
    ['Error', { code: 'ETIMEDOUT' }],
    ['Error', { code: 'EAI_AGAIN' }],
    ['Error', { code: 'ENOTFOUND' }],
    ['Error', { code: 'EHOSTUNREACH' }],
    ['Error', { code: 'ENETUNREACH' }],
    ['Error', { code: 'HPE_INVALID_CONSTANT' }],
    ['Error', { code: 'UND_ERR_SOCKET' }],
    ['SyntaxError', { $metadata: { httpStatusCode: 503 } }],
  ])('that is a passing one (%s %o) should be store.unavailable', (name, properties) => {
    const cause = failure(name, properties)
    expect(toStoreError(cause)).toMatchObject({ code: 'store.unavailable', cause })
  })

  test.each([
    failure('ValidationException', { $fault: 'client' }),
    failure('ResourceNotFoundException', { $fault: 'client' }),
    failure('AccessDeniedException', { $fault: 'client' }),
    failure('SyntaxError', { $metadata: { httpStatusCode: 200 } }),
    new TypeError('a mistake'),
    new AgentError('store.conflict', 'told apart already'),
    'not an error',
    undefined,
  ])('that is ours (%s) should stay unchanged', (error) => {
    expect(toStoreError(error)).toBe(error)
  })
})
