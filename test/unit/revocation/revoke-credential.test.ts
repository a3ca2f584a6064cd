/** What RevokeCredential commits: the state of the exchange, the pending revocation, and the job that publishes it. */
import { beforeEach, describe, expect, test } from 'vitest'
import { jobItem } from '../../../lib/jobs/job.ts'
import { pendingIndexes, revokeCredential } from '../../../lib/revocation/pending-revocation.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

let exchanges = 0
let id = ''

const { table } = await useTableAndQueues({ check: false })
beforeEach(() => {
  table.way = undefined
  id = `exchange-${exchanges++}`
})

const OFFERED = { '_anoncreds/credential': { revocationRegistryId: 'registry', credentialRevocationId: '7' } }
const ISSUED = {
  role: 'issuer',
  state: 'done',
  createdAt: '2026-01-01T00:00:00.000Z',
  metadata: { '_agent/issued': {}, ...OFFERED },
}

const addExchange = (value: object = {}) =>
  transaction('acme', async (unit) => {
    unit.insert({ tenant: 'acme', type: 'CredentialRecord', id, value: { ...ISSUED, ...value }, tags: {} })
  })
const revoke = (tenant = 'acme') => transaction(tenant, (unit) => revokeCredential(unit, id))
const jobThere = async () =>
  (await table.get(jobItem.addressOf({ tenant: 'acme', type: 'revocation-list', id }))) !== undefined

test('is pending, and published by a job', async () => {
  const registry = { revocationRegistryId: 'of-one', credentialRevocationId: '3' }
  await addExchange({ metadata: { '_agent/issued': {}, '_anoncreds/credential': registry } })
  const { metadata } = await revoke()
  expect(metadata).toMatchObject({
    '_agent/revocation': { state: 'pending', revokedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  })
  expect(await transaction('acme', (unit) => pendingIndexes(unit, 'of-one'))).toEqual([3])
  expect(await jobThere()).toBe(true)
})

test('twice, also concurrently, is one revocation with the same response', async () => {
  const registry = { revocationRegistryId: 'of-two', credentialRevocationId: '3' }
  await addExchange({ metadata: { '_agent/issued': {}, '_anoncreds/credential': registry } })
  const answers = await Promise.all([revoke(), revoke(), revoke()])
  answers.push(await revoke())
  expect(new Set(answers.map(({ metadata }) => JSON.stringify(metadata))).size).toBe(1)
  expect(await transaction('acme', (unit) => pendingIndexes(unit, 'of-two'))).toEqual([3])
})

test('is pending for its registry by either id of an Indy ledger', async () => {
  const did = 'WgWxqztrNooG92RXvxSTWv'
  const ids = [
    `did:indy:sovrin:${did}/anoncreds/v0/REV_REG_DEF/12/tag/first`,
    `${did}:4:${did}:3:CL:12:tag:CL_ACCUM:first`,
  ]
  for (const [index, revocationRegistryId] of ids.entries()) {
    id = `either-${index}`
    const credential = { revocationRegistryId, credentialRevocationId: `${index + 1}` }
    await addExchange({ metadata: { '_agent/issued': {}, '_anoncreds/credential': credential } })
    await revoke()
  }
  for (const registryId of ids)
    expect((await transaction('acme', (unit) => pendingIndexes(unit, registryId))).sort()).toEqual([1, 2])
})

describe('is rejected', () => {
  test.each([
    ['of an exchange that has not issued yet', { state: 'request-received', metadata: OFFERED }],
    ['of one that was abandoned before', { state: 'abandoned', metadata: OFFERED }],
    ['of one that has issued another format of the offer', { metadata: OFFERED }],
    ['as the holder', { role: 'holder' }],
    ['of a credential that cannot be revoked', { metadata: {} }],
    ['of a JSON-LD credential', { metadata: undefined }],
    [
      'of an index outside of the registry',
      {
        metadata: {
          ...{ '_agent/issued': {} },
          '_anoncreds/credential': { revocationRegistryId: 'registry', credentialRevocationId: '0' },
        },
      },
    ],
    [
      'without an index',
      { metadata: { '_agent/issued': {}, '_anoncreds/credential': { revocationRegistryId: 'registry' } } },
    ],
  ])('%s', async (_, value) => {
    await addExchange(value)
    await expect(revoke()).rejects.toMatchObject({ code: 'credential.not_revocable' })
    expect(await jobThere()).toBe(false)
  })

  test.each([
    [{ state: 'request-received', metadata: OFFERED }, 'the state of its exchange is request-received, as issuer'],
    [{ role: 'holder' }, 'the state of its exchange is done, as holder'],
    [{ metadata: {} }, 'only AnonCreds credentials of a definition with supportRevocation are revocable'],
  ])('with the reason: %j', async (value, reason) => {
    await addExchange(value)
    await expect(revoke()).rejects.toThrow(`the credential cannot be revoked: ${reason}`)
  })

  test('of an exchange of another tenant is not found', async () => {
    await addExchange()
    await expect(revoke('other')).rejects.toMatchObject({ code: 'resource.not_found' })
  })
})
