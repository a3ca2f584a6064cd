/** The ids of a registry's jobs name it, for any id of its credential definition. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { registryWriteItem } from '../../../lib/anoncreds/ledger-objects.ts'
import { jobNamed } from '../../../lib/jobs/job.ts'
import { jobAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { credentialDefinitionRecords } from '../../../lib/records/kinds.ts'
import {
  ensureRegistry,
  registryItem,
  registryOfJob,
  revokes,
  waitForNextWrite,
  waitForWrite,
} from '../../../lib/revocation/registry.ts'
import { requireRecord } from '../../../lib/store/record-reads.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { itemsOf } from '../../support/table/items.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

const { table } = await useTableAndQueues({ check: false })

const jobs = async (tenant: string) => itemsOf(table.dynamo, jobAddress({ tenant, type: '', id: '' }).pk.slice(0, -1))

test.each([
  'did:webvh:scid:acme.example/resources/zQm',
  'WgWxqztrNooG92RXvxSTWv:3:CL:10:a|b',
  'WgWxqztrNooG92RXvxSTWv:3:CL:10:100%7C.5.x',
  'WgWxqztrNooG92RXvxSTWv:3:CL:10:größe 1',
  'WgWxqztrNooG92RXvxSTWv:3:CL:10:two\u2028lines',
])('one of %s', async (credentialDefinitionId) => {
  const tenant = randomUUID()
  const wanted = { tenant, credentialDefinitionId, number: 2, size: 100 }
  await ensureRegistry(wanted)
  const [job, ...others] = await jobs(tenant)
  expect(others).toEqual([])
  const key = jobNamed(job?.pk?.S ?? '')
  expect(key).toMatchObject({ tenant, type: 'revocation-registry' })
  expect(key && registryOfJob(key)).toEqual(wanted)
})

test('one that is requested again is created once', async () => {
  const wanted = { tenant: 'again', credentialDefinitionId: 'definition', number: 1, size: 100 }
  for (let time = 0; time < 2; time++) expect(await ensureRegistry(wanted)).toBe(false)
  expect(await jobs('again')).toHaveLength(1)
})

const NOW = new Date().toISOString()
const STORED = { credentialDefinitionId: 'definition', number: 1, size: 100, registryId: 'registry' }

test.each([
  ['exists', registryItem.encode({ tenant: 'exists', ...STORED, taken: 0 }), false],
  ['waits', registryWriteItem.encode({ tenant: 'waits', ...STORED, transaction: {}, since: NOW }), true],
])('none is requested if one %s', async (tenant, item, waits) => {
  await table.put(item)
  expect(await ensureRegistry({ tenant, ...STORED })).toBe(waits)
  expect(await jobs(tenant)).toEqual([])
})

test.each([undefined, 'text'])('a write without a transaction is not stored: %s', async (written) => {
  const wanted = { tenant: 'unsaid', credentialDefinitionId: 'definition', number: 1, size: 100 }
  const write = { registryId: 'registry', transaction: written }
  const waiting = transaction('unsaid', (unit) => waitForWrite(unit, wanted, write))
  await expect(waiting).rejects.toMatchObject({ code: 'internal' })
})

test('an object to write is counted by the record of its definition, whose change is an event', async () => {
  const { type } = credentialDefinitionRecords
  const of = { tenant: 'announces', credentialDefinitionId: 'definition' }
  await transaction(of.tenant, async (unit) => {
    unit.insert({ tenant: of.tenant, type, id: 'record', value: {}, tags: { credentialDefinitionId: 'definition' } })
  })
  const write = { registryId: 'registry', transaction: {} }
  for (const number of [1, 2])
    await transaction(of.tenant, (unit) => waitForWrite(unit, { ...of, number, size: 100 }, write))
  expect((await requireRecord(of.tenant, type, 'record')).value).toMatchObject({ ledgerObjectsAdded: 2 })
  const first = { ...of, number: 1, size: 100 }
  await transaction(of.tenant, async (unit) => {
    const { since = '' } = (await unit.load(registryWriteItem, first)) ?? {}
    await waitForNextWrite(unit, first, write, since)
  })
  expect((await requireRecord(of.tenant, type, 'record')).value).toMatchObject({
    ledgerObjectsAdded: 3,
    updatedAt: expect.any(String),
  })
})

test('the next object replaces the one that was read, but not a later one', async () => {
  const first = { tenant: 'in order', credentialDefinitionId: 'definition', number: 1, size: 100 }
  const write = { registryId: 'registry', transaction: {} }
  await transaction(first.tenant, (unit) => waitForWrite(unit, first, write))
  const late = transaction(first.tenant, (unit) => waitForNextWrite(unit, first, write, new Date(0).toISOString()), 0)
  await expect(late).rejects.toMatchObject({ code: 'store.conflict' })
})

test.each([
  ['the index', { revoked: [3, 7] }, true],
  ['another index', { revoked: [3] }, false],
  ['none', { issued: [7] }, false],
])('an entry that revokes %s', (_, value, isRevoked) => {
  expect(revokes({ transaction: { request: { operation: { value } } } }, 7)).toBe(isRevoked)
})
