/** Messages for exchanges that were deleted, or are being deleted: none brings a record back. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { connect, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { itemsOf, textsOf } from '../support/table/items.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { succeed } from '../support/tenants.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const { stage, caller, wallet } = await useTenantAndWallet({ acceptOffers: false })
const raw = new RawMessages(wallet)
const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
const route = await raw.route(walletConnectionId)

const offer = (): Promise<Json> => succeed(stage, 'createOffer', caller, { body: offerBody(connectionId, wallet.did) })

const remove = (credentialRecordId: string, query: Record<string, string> = {}) =>
  stage.call('deleteCredential', { caller, path: { credentialRecordId }, query })

const report = (thid: string): Json => ({
  ...didCommMessage('issue-credential/2.0/problem-report', { thid }),
  description: { code: 'issuance-abandoned', en: 'no' },
})

const remains = async (id: string) =>
  (await itemsOf(stage, `${caller.tenantId}|`))
    .filter((item) => textsOf(item).some((text) => text.includes(id)))
    .map(({ kind }) => kind?.S)

describe('a message for a deleted exchange', () => {
  test('that was handled before gets its response again, in its envelope and in a new one', async () => {
    const { id, threadId } = await offer()
    const message = report(threadId)
    const envelope = await raw.pack(message, route)
    const first = await raw.postEnvelope(envelope, route.endpoint)
    expect(first.status).toBe(200)
    expect((await remove(id)).status).toBe(204)
    const before = await recordsInTable(stage)
    for (const again of [envelope, await raw.pack(message, route)])
      expect(await raw.postEnvelope(again, route.endpoint)).toMatchObject({ status: 200, body: first.body })
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  })

  test.each(['request-credential', 'ack'])('%s is handled as on an unknown thread', async (name) => {
    const { id, threadId } = await offer()
    expect((await remove(id, { abandon: 'true' })).status).toBe(204)
    const type = `issue-credential/2.0/${name}`
    const before = await recordsInTable(stage)
    const [deleted, unknown] = [threadId, randomUUID()].map((thid) => raw.send(didCommMessage(type, { thid }), route))
    expect((await deleted)?.status).toBe((await unknown)?.status)
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  })
})

test('a message that arrives while its exchange is deleted does not bring it back, and is no 5xx', async () => {
  for (let round = 0; round < 20; round++) {
    const { id, threadId } = await offer()
    const [removed, sent] = await Promise.all([remove(id, { abandon: 'true' }), raw.send(report(threadId), route)])
    expect(removed.status).toBe(204)
    expect(sent.status).toBeLessThan(500)
    expect(await remains(id)).toEqual(['deleted-record'])
  }
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})

test('of two concurrent deletions one is a 404, and of an update and a deletion the update finds nothing', async () => {
  const { transaction } = await import('../../lib/store/transaction.ts')
  const { id } = await offer()
  const both = await Promise.all([1, 2].map(() => remove(id, { abandon: 'true' })))
  expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
  const { id: other } = await offer()
  let runs = 0
  const update = transaction(caller.tenantId, async (unit) => {
    const record = await unit.read(unit.tenant, 'CredentialRecord', other)
    if (runs++ === 0) expect((await remove(other, { abandon: 'true' })).status).toBe(204)
    return record && unit.update({ ...record, value: { ...record.value, state: 'done' } })
  })
  expect(await update).toBeUndefined()
  expect(runs).toBe(2)
  expect(await remains(other)).toEqual(['deleted-record'])
})

test('a job of the exchange that runs meanwhile does nothing, and the deletion takes it along', async () => {
  const { transaction } = await import('../../lib/store/transaction.ts')
  const { enqueue, jobItem } = await import('../../lib/jobs/job.ts')
  const { runJob } = await import('../../lib/jobs/run.ts')
  const { id } = await offer()
  const key = { tenant: caller.tenantId, type: 'issuance', id } as const
  await transaction(caller.tenantId, async (unit) => enqueue(unit, key, 1))
  await new Promise((done) => setTimeout(done, 2))
  let committed = false
  await runJob(key, {
    run: async () => {
      expect((await remove(id, { abandon: 'true' })).status).toBe(204)
      return { commit: async () => (committed = true) }
    },
    giveUp: async () => undefined,
  })
  expect(committed).toBe(false)
  expect((await itemsOf(stage, jobItem.addressOf(key).pk)).length).toBe(0)
})
