/** The end of certificates: the record changes 30 days before and at the end, and each change is an event. */

import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import type { NewCertificate } from '../../../lib/interface/x509.ts'
import { jobItem } from '../../../lib/jobs/job.ts'
import { runJob } from '../../../lib/jobs/run.ts'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { storedKeys } from '../../../lib/keys/stored-keys.ts'
import { certificateRecords } from '../../../lib/records/openid-kinds.ts'
import { readItem } from '../../../lib/store/item.ts'
import { requireRecord } from '../../../lib/store/record-reads.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { createCertificate } from '../../../lib/x509/create.ts'
import { certificateExpiryJob } from '../../../lib/x509/expiry.ts'
import { deleteCertificate } from '../../../lib/x509/stored-certificates.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

const DAY = 24 * 60 * 60_000
const START = Date.parse('2027-03-04T05:06:07.089Z')

vi.useFakeTimers({ toFake: ['Date'] })
beforeEach(() => void vi.setSystemTime(START))
afterAll(() => void vi.useRealTimers())
const { table } = await useTableAndQueues()

const create = async (notAfter?: string, more: NewCertificate = {}) => {
  const validity = { ...(notAfter !== undefined && { notAfter }) }
  const { keyId } = await transaction('acme', (unit) =>
    createCertificate(unit, { issuer: 'CN=Acme', validity, ...more }),
  )
  return { tenant: 'acme', type: 'certificate-expiry', id: keyId } as const
}
type Key = Awaited<ReturnType<typeof create>>

const stateOf = async ({ id }: Key) => (await requireRecord('acme', certificateRecords.type, id)).value.state
const dueAt = async (key: Key) => (await readItem(jobItem, key))?.dueAt
const run = (key: Key) => runJob(key, certificateExpiryJob)

test('a certificate is expiring 30 days before its end, and expired after it; then its job ends', async () => {
  const key = await create()
  const end = Date.parse('2028-03-04T00:00:00Z')
  expect(await dueAt(key)).toBe(end - 30 * DAY)
  await run(key)
  expect(await stateOf(key)).toBe('valid')
  vi.setSystemTime(end - 30 * DAY)
  await run(key)
  expect(await stateOf(key)).toBe('expiring')
  vi.setSystemTime(end)
  await run(key)
  expect([await stateOf(key), await dueAt(key)]).toEqual(['expiring', end + 1])
  vi.setSystemTime(end + 1)
  await run(key)
  expect([await stateOf(key), await dueAt(key)]).toEqual(['expired', undefined])
})

test('the job that runs late skips a state, and one that is run again changes nothing', async () => {
  const key = await create('2028-01-01T00:00:00Z')
  vi.setSystemTime('2029-01-01T00:00:00Z')
  await run(key)
  await run(key)
  expect(await stateOf(key)).toBe('expired')
})

test('a certificate that ends within 30 days is expiring immediately', async () => {
  const key = await create('2027-04-01T00:00:00Z')
  expect(await dueAt(key)).toBe(START)
  await run(key)
  expect([await stateOf(key), await dueAt(key)]).toEqual(['expiring', Date.parse('2027-04-01T00:00:00Z') + 1])
})

test('the job of a deleted certificate goes with it, and does not bring it back where it runs', async () => {
  const key = await create('2027-04-01T00:00:00Z')
  const { run: look } = certificateExpiryJob
  const result = await look({ ...key, createdAt: '' })
  await transaction('acme', (unit) => deleteCertificate(unit, key.id))
  expect(await dueAt(key)).toBeUndefined()
  await transaction('acme', async (unit) => 'commit' in result && result.commit?.(unit))
  await expect(stateOf(key)).rejects.toMatchObject({ code: 'resource.not_found' })
  expect(await look({ ...key, createdAt: '' })).not.toHaveProperty('later')
  expect(await table.get(keyAddress('acme', key.id))).toBeUndefined()
})

test('the key item of a tenant cannot be read as that of another', async () => {
  const { id } = await create()
  const item = await table.get(keyAddress('acme', id))
  await transaction('globex', (unit) => createCertificate(unit, { issuer: 'CN=Globex' }))
  await table.put({ ...item, ...{ pk: { S: keyAddress('globex', id).pk } } })
  expect(await storedKeys.get('acme', id)).toMatchObject({ crv: 'P-256' })
  await expect(storedKeys.get('globex', id)).rejects.toThrow()
})
