/** Indexes of revocation registries: none is allocated twice, the next registry is requested in time, and a missing one is a 409 with Retry-After. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { jobItem, jobNamed } from '../../../lib/jobs/job.ts'
import { credentialDefinitionRecords } from '../../../lib/records/kinds.ts'
import { allocateRevocationIndex } from '../../../lib/revocation/allocate-index.ts'
import { registryItem, registryOfJob, waitForWrite } from '../../../lib/revocation/registry.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'
import { failure } from '../store/started-table.ts'

const TENANT = 'acme'
let definitions = 0
let definition = ''

const { table } = await useTableAndQueues({ check: false })
beforeEach(() => {
  table.way = undefined
  definition = `did:webvh:scid:acme.example/resources/definition-${definitions++}`
})

const addRegistry = (number: number, { size = 100, taken = 0 } = {}) =>
  table.put(
    registryItem.encode({
      ...{ tenant: TENANT, credentialDefinitionId: definition, number, size, taken },
      registryId: `registry-${number}`,
    }),
  )
const take = (tenant = TENANT) => allocateRevocationIndex(tenant, definition)
const isAskedFor = async (number: number, size = 100) =>
  (await table.get(
    jobItem.addressOf({ tenant: TENANT, type: 'revocation-registry', id: `${number}.${size}.${definition}` }),
  )) !== undefined

test('200 concurrent allocations are 200 different indexes', async () => {
  await addRegistry(1, { size: 1_000 })
  const taken = await Promise.all(Array.from({ length: 200 }, () => take()))
  const indexes = taken.map(({ index }) => index).sort((a, b) => a - b)
  expect(indexes).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
})

test('allocating one is two requests', async () => {
  await addRegistry(1)
  table.watch()
  await take()
  expect(table.requests).toEqual(['Query', 'UpdateItem'])
})

test('begins at 1 and ends before the size of the registry', async () => {
  await addRegistry(1, { taken: 0 })
  expect(await take()).toEqual({ registryId: 'registry-1', index: 1 })
  await addRegistry(1, { taken: 98 })
  expect(await take()).toEqual({ registryId: 'registry-1', index: 99 })
  await expect(take()).rejects.toMatchObject({ code: 'revocation.no_index' })
})

test('the next registry is requested at 80 %, once, and used when this one is full', async () => {
  await addRegistry(1, { taken: 77 })
  await take()
  expect(await isAskedFor(2)).toBe(false)
  await take()
  expect(await isAskedFor(2)).toBe(true)
  await Promise.all(Array.from({ length: 10 }, () => take()))
  await addRegistry(2)
  await addRegistry(1, { taken: 98 })
  expect([await take(), await take()]).toEqual([
    { registryId: 'registry-1', index: 99 },
    { registryId: 'registry-2', index: 1 },
  ])
  expect(await isAskedFor(3)).toBe(false)
})

test('the tenth registry sorts after the ninth', async () => {
  for (const number of [8, 9]) await addRegistry(number, { taken: 99 })
  await addRegistry(10)
  expect(await take()).toEqual({ registryId: 'registry-10', index: 1 })
})

test('one of two concurrent allocations gets the last index, and the other must retry', async () => {
  await addRegistry(1, { taken: 98 })
  const outcomes = await Promise.allSettled([take(), take()])
  expect(outcomes).toContainEqual({ status: 'fulfilled', value: { registryId: 'registry-1', index: 99 } })
  expect(outcomes).toContainEqual({
    status: 'rejected',
    reason: expect.objectContaining({ code: 'revocation.no_index' }),
  })
})

describe('without a free index', () => {
  test('fails, and requests the next registry', async () => {
    await addRegistry(1, { taken: 99 })
    await expect(take()).rejects.toMatchObject({ code: 'revocation.no_index' })
    expect(await isAskedFor(2)).toBe(true)
  })

  test('100 concurrent ones fail in the same way, with one job', async () => {
    await addRegistry(1, { taken: 99 })
    const taken = await Promise.allSettled(Array.from({ length: 100 }, () => take()))
    for (const result of taken) expect(result).toMatchObject({ reason: { code: 'revocation.no_index' } })
    expect(await isAskedFor(2)).toBe(true)
  })

  test('concurrent ones get the remaining indexes, and the others fail', async () => {
    await addRegistry(1, { taken: 96 })
    const taken = await Promise.allSettled(Array.from({ length: 10 }, () => take()))
    const indexes = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value.index] : []))
    expect(indexes.sort()).toEqual([97, 98, 99])
  })

  test.each([
    ['finished', { revocationRegistrySize: 50 }, true],
    ['finished', {}, false],
    ['failed', { revocationRegistrySize: 50 }, false],
  ])('requests the first registry of a definition that is %s, revocable by %o', async (state, revocable, asked) => {
    const value = { state, ...revocable, createdAt: '2026-01-01T00:00:00.000Z' }
    const tags = { credentialDefinitionId: definition }
    const { type } = credentialDefinitionRecords
    await transaction(TENANT, async (unit) => {
      unit.insert({ tenant: TENANT, type, id: definition.slice(-14), value: { ...value, ...tags }, tags })
    })
    await expect(take()).rejects.toMatchObject({ code: 'revocation.no_index' })
    expect(await isAskedFor(1, 50)).toBe(asked)
  })

  test('fails as unavailable if DynamoDB is, and the next registry cannot be requested', async () => {
    await addRegistry(1, { taken: 99 })
    table.way = async (command, send) => {
      if (command === 'PutItem' || command === 'TransactWriteItems') throw failure('InternalServerError')
      await send()
    }
    await expect(take()).rejects.toMatchObject({ code: 'store.unavailable' })
  })

  test('fails, while another offer requests the next registry', async () => {
    await addRegistry(1, { taken: 99 })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    table.way = async (command, send) => {
      if (command === 'PutItem' || command === 'TransactWriteItems') throw failure('TransactionConflictException')
      await send()
    }
    await expect(take()).rejects.toMatchObject({ code: 'revocation.no_index' })
  })

  test('fails while the first registry is being created, and for another tenant', async () => {
    await expect(take()).rejects.toMatchObject({ code: 'revocation.no_index' })
    await addRegistry(1)
    await expect(take('other')).rejects.toMatchObject({ code: 'revocation.no_index' })
  })
})

test.each([
  ['is being created', 'is being created', 2],
  ['waits for the operator of a ledger', 'must be written to the ledger', 60],
])(
  'the error for an offer whose registry %s says what it waits for, with Retry-After',
  async (_, words, retryAfter) => {
    await addRegistry(1, { taken: 99 })
    const wanted = { tenant: TENANT, credentialDefinitionId: definition, number: 2, size: 100 }
    if (retryAfter === 60)
      await transaction(TENANT, (unit) => waitForWrite(unit, wanted, { registryId: 'registry-2', transaction: {} }))
    await expect(take()).rejects.toMatchObject({ retryAfter, message: expect.stringContaining(words) })
    expect(await isAskedFor(2)).toBe(retryAfter === 2)
  },
)

test('an update whose response was lost costs an index, and allocates none twice', async () => {
  await addRegistry(1)
  let lost = false
  table.way = async (command, send) => {
    await send()
    if (command !== 'UpdateItem' || lost) return
    lost = true
    throw Object.assign(new Error('reset'), { name: 'TimeoutError', code: 'ECONNRESET' })
  }
  const taken = [await take(), await take(), await take()].map(({ index }) => index)
  expect(new Set(taken).size).toBe(3)
})

test('the job of a definition whose tag has the separator of keys is the job that its wake-up names', async () => {
  definition = 'Th7MpTaRZVRYnPiabds81Y:3:CL:12:a|b%7Cc%d'
  await addRegistry(1, { taken: 99 })
  await expect(take()).rejects.toMatchObject({ code: 'revocation.no_index' })
  const [item] = (await table.items()).filter(({ kind, pk }) => kind?.S === 'job' && pk?.S?.includes('Th7MpTaR'))
  const key = jobNamed(item?.pk?.S ?? '')
  expect(key && registryOfJob(key)).toEqual({
    ...{ tenant: TENANT, number: 2, size: 100 },
    credentialDefinitionId: definition,
  })
})
