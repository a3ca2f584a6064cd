/** What others try with a removed tenant: to keep it alive, to hold up its removal, to take its name. */
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { runJob } from '../../lib/jobs/run.ts'
import { METRICS } from '../../lib/metrics.ts'
import { connectionRecords } from '../../lib/records/kinds.ts'
import { tenantRemovalJob } from '../../lib/removal/tenant-job.ts'
import { requireRecord } from '../../lib/store/record-reads.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { allItems, later, removalOf, removeTenant, runRemoval } from '../support/removal.ts'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import { atHttps } from '../support/stage/at-https.ts'
import type { Caller } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { inviteToConnect, settled, succeed } from '../support/tenants.ts'
import { useLogLines } from '../support/watch/log-lines.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { peerDidOf } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const stage = await useStage()
const wallet = await useWallet({ answerProofs: false })
const raw = new RawMessages(wallet)
const requests = new StoreFaults(stage.serviceClient)
const lines = useLogLines()

afterAll(async () => expect(await checkTable(stage.client, stage.table)).toEqual([]))

const remove = (tenantId: string, query: Record<string, string> = { silent: 'true' }) =>
  stage.call('deleteTenant', { path: { tenantId }, query })

/** Lines that are in an alarm. */
const alarms = () =>
  lines.filter((line) => Object.entries(METRICS).some(([name, alarm]) => alarm !== undefined && name in line))

test('takes two requests to the table, since CREDEBL waits for it in a transaction of five seconds', async () => {
  const { tenantId } = await createTenant(stage)
  const { result, commands } = await requests.count(() => remove(tenantId))
  expect(result.status).toBe(204)
  expect(commands).toEqual(['GetItemCommand', 'TransactWriteItemsCommand'])
  await runRemoval(stage, tenantId)
})

test.each(['@base', 'a|b', '*', '@tenant|x', '..'])('%s is not the id of a tenant', async (tenantId) => {
  expect((await remove(tenantId)).status).toBe(400)
})

test('an envelope to it is as for a tenant that never was, and changes nothing', async () => {
  const caller = await createTenant(stage)
  const { walletConnectionId } = await connect(stage, wallet, caller)
  const route = await raw.route(walletConnectionId)
  const { outOfBandRecord } = await inviteToConnect(stage, caller).then(({ outOfBandId }) =>
    succeed(stage, 'getOutOfBandRecordById', caller, { path: { outOfBandId } }).then((record) => ({
      outOfBandRecord: record,
    })),
  )
  await settled(stage)
  const before = await allItems(stage)
  await removeTenant(stage, caller.tenantId)
  const after = await allItems(stage)
  const statusOf = (tenantId: string) =>
    later(2, async () => {
      const envelope = await raw.pack({ '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': 'p' }, route)
      const { status, body } = await stage.call('receiveDidcomm', { path: { tenantId }, body: envelope })
      return { status, body }
    })
  expect(await statusOf(caller.tenantId)).toEqual(await statusOf('never'))
  const query = { oob: outOfBandRecord.outOfBandInvitation['@id'] }
  const page = await stage.call('showInvitation', { query })
  expect(page.status).toBe((await stage.call('showInvitation', { query: { oob: 'never' } })).status)
  expect([...(await allItems(stage)).keys()].toSorted()).toEqual([...after.keys()].toSorted())
  expect(before.size).toBeGreaterThan(after.size)
  expect(alarms()).toEqual([])
})

test('a public id of it is never given to another', async () => {
  const [caller, other] = [await createTenant(stage), await createTenant(stage)]
  const make = (by: Caller) =>
    atHttps(() => stage.call('createVerifier', { caller: by, body: { verifierId: 'the-shop' } }))
  expect((await make(caller)).status).toBeLessThan(300)
  await removeTenant(stage, caller.tenantId)
  expect(await make(other)).toMatchObject({ status: 409, body: { message: expect.stringContaining('used before') } })
})

describe('wallets that never answer', () => {
  /** A tenant with connections at such a wallet. */
  const connectedTo = async (endpoint: string, count: number): Promise<string> => {
    const caller = await createTenant(stage)
    const handshake = new RawHandshake(wallet, raw)
    const { invitation, outOfBandRecord } = await succeed(stage, 'createRequest', caller, { body: requestBody })
    const senderKey = await handshake.newKey()
    const { message } = await handshake.request(invitation, { did: peerDidOf([senderKey], endpoint), senderKey })
    await raw.send(
      { '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': randomUUID(), response_requested: false },
      await handshake.complete(message, senderKey),
    )
    const query = { outOfBandId: outOfBandRecord.id }
    const [{ id, state }] = await succeed(stage, 'getConnections', caller, { query })
    expect(state).toBe('completed')
    const { value, tags } = await requireRecord(caller.tenantId, connectionRecords.type, id)
    for (let copy = 1; copy < count; copy++)
      await transaction(caller.tenantId, async (unit) => {
        const id = randomUUID()
        unit.insert({ tenant: caller.tenantId, type: connectionRecords.type, id, value: { ...value, id }, tags })
      })
    await settled(stage)
    return caller.tenantId
  }

  test('hold up the removal for five seconds, fifty at a time', async () => {
    const silent = await stopAtEnd(startFaultyReceiver())
    silent.behave('stall before the headers')
    const tenantId = await connectedTo(silent.url, 120)
    await stage.line.pause()
    await remove(tenantId, {})
    const told = silent.received.length
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, silent.open())
    }, 50)
    await runRemoval(stage, tenantId)
    clearInterval(watch)
    expect(silent.received.length - told).toBe(120)
    expect(most).toBeLessThanOrEqual(50)
    stage.line.run()
    expect(alarms()).toEqual([])
  })

  test('are not told any more after ten minutes', async () => {
    const silent = await stopAtEnd(startFaultyReceiver())
    silent.behave('stall before the headers')
    const tenantId = await connectedTo(silent.url, 120)
    await stage.line.pause()
    await remove(tenantId, {})
    const told = silent.received.length
    const run = () => stage.line.guard.run('removeOwned', () => runJob(removalOf(tenantId), tenantRemovalJob))
    // Its pages are closed before.
    await later(11, () => run().then(run))
    expect(silent.received.length - told).toBe(50)
    await runRemoval(stage, tenantId, 20)
    expect(silent.received.length - told).toBe(50)
  })
})
