/** Tenants as the API shows them, from a real table: the requests, and what is left out. */
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { listTenants, showTenant } from '../../../lib/tenants/show-tenants.ts'
import { insertTenant, organizationTenants, tenantAddress } from '../../../lib/tenants/tenants.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable()
const { client, table: TableName } = table.dynamo

const insert = (orgId: string, ids: string[]) =>
  transaction('@base', async (unit) => {
    for (const id of ids) insertTenant(unit, { id, orgId, label: id, createdAt: '2026-01-01T00:00:00.000Z' })
  })
const remove = (id: string) => client.send(new DeleteItemCommand({ TableName, Key: toKey(tenantAddress(id)) }))
const idsOf = async (page: ReturnType<typeof listTenants>) => (await page).entries.map(({ id }) => id)

const ALL = { limit: 1000 }

test('a removed tenant is not shown, in the process that has shown it', async () => {
  await insert('removing', ['marked', 'gone', 'there'])
  expect(await showTenant('marked')).toMatchObject({ id: 'marked', config: { label: 'marked' }, orgId: 'removing' })
  await showTenant('gone')
  const Item = { ...toKey(tenantAddress('marked')), kind: { S: 'removed-tenant' }, id: { S: 'marked' } }
  await client.send(new PutItemCommand({ TableName, Item }))
  await remove('gone')
  for (const id of ['marked', 'gone', 'never'])
    await expect(showTenant(id)).rejects.toMatchObject({ code: 'resource.not_found' })
  expect(await idsOf(listTenants('removing', '*', ALL))).toEqual(['there'])
  expect(await idsOf(listTenants('removing', ['marked', 'gone', 'there'], ALL))).toEqual(['there'])
  await remove('marked')
})

test('a page has up to 100 tenants by id, in two requests', async () => {
  const ids = Array.from({ length: 105 }, (_, number) => `${number % 2 ? 'Z' : 'a'}.${String(number).padStart(3, '0')}`)
  for (let at = 0; at < ids.length; at += 40) await insert('large', ids.slice(at, at + 40))
  table.watch()
  const first = await listTenants('large', '*', ALL)
  expect(table.requests).toEqual(['Query', 'BatchGetItem'])
  const second = await listTenants('large', '*', { ...ALL, cursor: first.next })
  expect([first.entries.length, second.next]).toEqual([100, undefined])
  expect([...first.entries, ...second.entries].map(({ id }) => id)).toEqual(ids.sort())

  const among = [...ids, ...ids, 'unknown'].reverse()
  const pages = [await listTenants('large', among, ALL)]
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next)
    pages.push(await listTenants('large', among, { ...ALL, cursor: next }))
  expect(pages.flatMap(({ entries }) => entries).map(({ id }) => id)).toEqual(ids)
})

test('among certain ids it has those of the organization alone, in one request', async () => {
  await insert('acme', ['acme-1', 'acme-2', 'acme-3'])
  await insert('globex', ['globex-1'])
  table.watch()
  const among = ['acme-3', 'globex-1', 'unknown', 'acme-1', 'acme-3']
  expect(await idsOf(listTenants('acme', among, { limit: 2 }))).toEqual(['acme-1', 'acme-3'])
  expect(table.requests).toEqual(['BatchGetItem'])
  const { entries, next } = await listTenants('acme', among, { limit: 1 })
  expect(entries).toMatchObject([{ id: 'acme-1' }])
  expect(await idsOf(listTenants('acme', among, { limit: 1, cursor: next }))).toEqual(['acme-3'])
  expect(await idsOf(listTenants('acme', [], ALL))).toEqual([])
  expect(await table.items(organizationTenants('acme'))).toHaveLength(3)
})
