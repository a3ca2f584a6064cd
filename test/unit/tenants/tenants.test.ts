/** Tenants in the table: written once, remembered for a minute. */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import {
  hasTenants,
  insertTenant,
  readTenant,
  type Tenant,
  tenantAddress,
  tenantExists,
} from '../../../lib/tenants/tenants.ts'
import { useTable } from '../store/use-table.ts'

const ACME: Tenant = { id: 'acme', label: 'Acme', orgId: 'org1', createdAt: '2026-01-01T00:00:00.000Z' }
const OTHER: Tenant = { ...ACME, id: 'other', connectionImageUrl: 'https://example.com/logo.png' }

const table = await useTable()

afterEach(() => {
  vi.useRealTimers()
})

const insert = (tenant: Tenant) => transaction('@base', async (unit) => insertTenant(unit, tenant))
const remove = ({ id }: Tenant) =>
  table.dynamo.client.send(new DeleteItemCommand({ TableName: table.dynamo.table, Key: toKey(tenantAddress(id)) }))

test('should be read as it was written, with one request in a minute', async () => {
  await transaction('@base', async (unit) => {
    insertTenant(unit, ACME)
    insertTenant(unit, OTHER)
  })
  table.watch()
  for (let time = 0; time < 3; time++) {
    expect(await readTenant('acme')).toEqual(ACME)
    expect(await readTenant('other')).toEqual(OTHER)
  }
  expect(table.requests).toEqual(['GetItem', 'GetItem'])
})

test('should not be found before it exists, and be found as soon as it does', async () => {
  await expect(readTenant('late')).rejects.toMatchObject({ code: 'resource.not_found' })
  await transaction('@base', async (unit) => insertTenant(unit, { ...ACME, id: 'late' }))
  expect(await readTenant('late')).toMatchObject({ id: 'late' })
})

test('should never be replaced by another of its id', async () => {
  const another = transaction('@base', async (unit) => insertTenant(unit, { ...ACME, label: 'Evil' }))
  await expect(another).rejects.toMatchObject({ code: 'store.conflict' })
  expect((await table.items('@tenant|acme'))[0]?.label).toEqual({ S: 'Acme' })
})

test('should be remembered for a minute after a deletion, and not longer', async () => {
  const gone = { ...ACME, id: 'gone', orgId: 'gone-org' }
  await insert(gone)
  expect(await readTenant('gone')).toEqual(gone)
  await remove(gone)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 59_000)
  expect(await readTenant('gone')).toEqual(gone)
  vi.setSystemTime(Date.now() + 1_000)
  await expect(readTenant('gone')).rejects.toMatchObject({ code: 'resource.not_found' })
  // What is left of it has its tenant again.
  await insert({ ...gone, orgId: 'another-org' })
})

test('should be looked for each time where a token names it', async () => {
  const late = { ...ACME, id: 'named' }
  expect(await tenantExists('named')).toBe(false)
  await insert(late)
  table.watch()
  expect([await tenantExists('named'), await tenantExists('named')]).toEqual([true, true])
  expect(table.requests).toEqual(['GetItem', 'GetItem'])
  await remove(late)
  expect(await tenantExists('named')).toBe(false)
  await insert({ ...late, orgId: 'another-org' })
})

test.each(['several', '__proto__', 'constructor'])('should be known to their organization: %s', async (orgId) => {
  expect(await hasTenants(orgId)).toBe(false)
  for (const number of [1, 2, 3]) await insert({ ...ACME, id: `${orgId}-${number}`, orgId })
  table.watch()
  expect(await hasTenants(orgId)).toBe(true)
  expect(table.requests).toEqual(['Query'])
})
