/** Tenants in the table: written once, read once for a process. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertTenant, readTenant, type Tenant } from '../../../lib/store/tenants.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { type StartedTable, startTable } from './started-table.ts'

const ACME: Tenant = { id: 'acme', label: 'Acme', orgId: 'org1', createdAt: '2026-01-01T00:00:00.000Z' }
const OTHER: Tenant = { ...ACME, id: 'other', connectionImageUrl: 'https://example.com/logo.png' }

let table: StartedTable

beforeAll(async () => {
  table = await startTable()
})
afterAll(async () => {
  expect(await table.check()).toEqual([])
  await table.stop()
})

test('should be read as it was written, with one request for a process', async () => {
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

test('should not be found where there is none, and be found as soon as there is', async () => {
  await expect(readTenant('late')).rejects.toMatchObject({ code: 'resource.not_found' })
  await transaction('@base', async (unit) => insertTenant(unit, { ...ACME, id: 'late' }))
  expect(await readTenant('late')).toMatchObject({ id: 'late' })
})

test('should never be replaced by another of its id', async () => {
  const another = transaction('@base', async (unit) => insertTenant(unit, { ...ACME, label: 'Evil' }))
  await expect(another).rejects.toMatchObject({ code: 'store.conflict' })
  expect((await table.items('@tenant|acme'))[0]?.label).toEqual({ S: 'Acme' })
})
