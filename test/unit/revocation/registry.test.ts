/** The jobs of a registry name it by their ids, whatever its credential definition is called. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { jobNamed } from '../../../lib/jobs/job.ts'
import { credentialDefinitionRecords } from '../../../lib/records/kinds.ts'
import { ensureRegistry, registryOfJob, waitForWrite } from '../../../lib/revocation/registry.ts'
import { jobAddress } from '../../../lib/store/keys.ts'
import { registryWriteItem } from '../../../lib/store/ledger-objects.ts'
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

test('one that is asked for again is made once', async () => {
  const wanted = { tenant: 'again', credentialDefinitionId: 'definition', number: 1, size: 100 }
  for (let time = 0; time < 2; time++) expect(await ensureRegistry(wanted)).toBe(false)
  expect(await jobs('again')).toHaveLength(1)
})

test('none is asked for that waits to be written to a ledger', async () => {
  const wanted = { tenant: 'waits', credentialDefinitionId: 'definition', number: 1, size: 100 }
  const since = new Date().toISOString()
  await table.put(registryWriteItem.encode({ ...wanted, registryId: 'registry', transaction: {}, since }))
  await ensureRegistry(wanted)
  expect(await jobs('waits')).toEqual([])
})

test('what waits to be written to a ledger is counted by the record of its definition, whose change is an event', async () => {
  const { type } = credentialDefinitionRecords
  const of = { tenant: 'announces', credentialDefinitionId: 'definition' }
  await transaction(of.tenant, async (unit) => {
    unit.insert({ tenant: of.tenant, type, id: 'record', value: {}, tags: { credentialDefinitionId: 'definition' } })
  })
  for (const number of [1, 2])
    await transaction(of.tenant, (unit) =>
      waitForWrite(unit, { ...of, number, size: 100 }, { registryId: 'registry', transaction: {} }),
    )
  expect((await requireRecord(of.tenant, type, 'record')).value).toMatchObject({ ledgerObjectsAdded: 2 })
})
