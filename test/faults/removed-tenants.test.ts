/** The removal of a tenant is killed, throttled, run twice and raced, at every request: it ends with the same table. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { runJob } from '../../lib/jobs/run.ts'
import { METRICS } from '../../lib/metrics.ts'
import { tenantRemovalJob } from '../../lib/removal/tenant-job.ts'
import { readItem } from '../../lib/store/item.ts'
import type { Item } from '../../lib/store/table.ts'
import { removedTenantItem } from '../../lib/tenants/tenants.ts'
import { FULL } from '../support/depth.ts'
import { allItems, later, removalOf, runRemoval } from '../support/removal.ts'
import { connect, createTenant, offerBody } from '../support/scenes.ts'
import type { Reply } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { Interleaving } from '../support/table/interleaving.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { inviteToConnect, settled, succeed } from '../support/tenants.ts'
import { useLogLines } from '../support/watch/log-lines.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const stage = await useStage()
const wallet = await useWallet({ acceptOffers: false, answerProofs: false })
const interleaving = new Interleaving(stage.serviceClient)
const faults = new StoreFaults(stage.serviceClient)
const lines = useLogLines()

/** A process that dies after its n-th write: no request goes out any more. */
const lives = new AsyncLocalStorage<{ writes: number }>()
withOpenStack(stage.serviceClient).middlewareStack.add(
  (next, { commandName = '' }) =>
    async (parameters) => {
      const life = lives.getStore()
      if (life !== undefined && life.writes <= 0) throw new Error('the process is gone')
      const result = await next(parameters)
      if (life !== undefined && !/^(Get|BatchGet|Query)/.test(commandName)) life.writes--
      return result
    },
  { step: 'initialize' },
)

let caller: { tenantId: string }
let connectionId: string
let credentialRecordId: string
let outOfBandId: string
let envelope: unknown
/** The table when the removal begins, and at its end. */
let begun: Awaited<ReturnType<typeof allItems>>
let ended: string[]
/** Requests of a first run. */
let commands: string[]

/** Every place of a run, or some of them. */
const placesOf = (calls: string[]): number[] =>
  [...calls.keys()].filter((at) => FULL || at % Math.ceil(calls.length / 7) === 3)

const names = async () => [...(await allItems(stage)).keys()].toSorted()

/** Puts the table back to where the removal begins. */
const restore = async (): Promise<void> => {
  const now = await allItems(stage)
  const [client, TableName] = [stage.client, stage.table]
  await Promise.all(
    [...now.values()].map(({ pk, sk }) => client.send(new DeleteItemCommand({ TableName, Key: { pk, sk } as never }))),
  )
  await Promise.all([...begun.values()].map((Item) => client.send(new PutItemCommand({ TableName, Item }))))
}

const runOnce = () =>
  stage.line.guard.run('removeOwned', () => runJob(removalOf(caller.tenantId), tenantRemovalJob)).catch(() => undefined)

/** The phases before the second pass, if nothing puts them off. */
const run = async () => {
  for (const _ of ['pages', 'connections', 'first']) await runOnce()
}

/** Ends the removal after what has happened in its first run. */
const end = async (): Promise<void> => {
  await runRemoval(stage, caller.tenantId)
  await stage.line.pause()
  expect(await checkTable(stage.client, stage.table)).toEqual([])
  const alarms = lines.filter((line) =>
    Object.entries(METRICS).some(([name, alarm]) => alarm !== undefined && name !== 'StoreFaults' && name in line),
  )
  expect(alarms).toEqual([])
}

beforeAll(async () => {
  caller = await createTenant(stage)
  const connected = await connect(stage, wallet, caller)
  connectionId = connected.connectionId
  const offer = await succeed(stage, 'createOffer', caller, { body: offerBody(connectionId, wallet.did) })
  await succeed(stage, 'sendMessage', caller, { path: { connectionId }, body: { content: 'hello' } })
  credentialRecordId = offer.id
  ;({ outOfBandId } = await inviteToConnect(stage, caller))
  await succeed(stage, 'createCertificate', caller, { body: { issuer: 'CN=Acme' } })
  await settled(stage)
  await stage.line.pause()
  const raw = new RawMessages(wallet)
  const message = { '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': crypto.randomUUID() }
  envelope = await raw.pack(message, await raw.route(connected.walletConnectionId))
  await stage.call('deleteTenant', { path: caller, query: { silent: 'true' } })
  begun = await allItems(stage)
  ;({ commands } = await faults.count(run))
  await end()
  ended = await names()
})

test('killed after each write', async () => {
  const writes = commands.filter((command) => !/^(Get|BatchGet|Query)/.test(command))
  expect(writes.length).toBeGreaterThan(40)
  for (const index of placesOf(writes)) {
    await restore()
    await lives.run({ writes: index + 1 }, run)
    await end()
    expect(await names(), `write ${index}`).toEqual(ended)
  }
})

describe.each(['is throttled', 'times out after it worked'])('a request that %s', (name) => {
  test('puts it off', async () => {
    for (const index of placesOf(commands)) {
      await restore()
      await faults.inject(index + 1, FAULTS[name] as (typeof FAULTS)[string], run)
      await end()
      expect(await names(), `request ${index}`).toEqual(ended)
    }
  })
})

test('run by two at once, after the lease of the first', async () => {
  for (const index of placesOf(commands)) {
    await restore()
    await interleaving.run(index + 1, run, () => later(3, run))
    await end()
    expect(await names(), `request ${index}`).toEqual(ended)
  }
})

/** What processes do that still know the tenant. */
const RACES: [string, () => Promise<Reply | undefined>][] = [
  ['a message', () => stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'late' } })],
  ['an offer', () => stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })],
  ['an invitation', () => stage.call('createInvitation', { caller, body: {} })],
  ['a DID', () => stage.call('createDid', { caller, body: { method: 'web' } })],
  ['a certificate', () => stage.call('createCertificate', { caller, body: { issuer: 'CN=Late' } })],
  ['an envelope', () => stage.call('receiveDidcomm', { path: caller, body: envelope })],
  ['the end of the connection', () => stage.call('deleteConnection', { caller, path: { connectionId } })],
  ['the end of an invitation', () => stage.call('deleteOutOfBandRecord', { caller, path: { outOfBandId } })],
  [
    'the end of an offer',
    () => stage.call('deleteCredential', { caller, path: { credentialRecordId }, query: { abandon: 'true' } }),
  ],
]

/** Deliveries, jobs and events of what has raced, what is due a minute later, and the rest of the removal. */
const settle = async () => {
  await stage.line.settle()
  await later(3, () => stage.line.sweep().then(() => stage.line.settle()))
  await end()
  await expect(stage.call('getTenant', { path: caller })).resolves.toMatchObject({ status: 404 })
}

test.each(RACES)('raced by %s', async (_, race) => {
  for (const index of placesOf(commands)) {
    await restore()
    await interleaving.run(index + 1, run, race)
    await settle()
  }
})

test.each(RACES)('before %s that was held up ends', async (_, race) => {
  await restore()
  const held = await faults.count(race)
  for (const index of held.commands.keys()) {
    await restore()
    await interleaving.run(index + 1, race, run)
    await settle()
  }
})

test('records that cannot be decoded do not hold it up', async () => {
  await restore()
  // Those that the lists of the tenant lead to.
  const LISTED = /\|(?:Connection|Credential|OutOfBand|X509Certificate)Record\|[^|]+ ~$/
  const isRecord = ([name, { kind }]: [string, Item]) => LISTED.test(name) && kind?.S === 'record'
  const records = [...begun].filter(isRecord)
  expect(records.length).toBe(5)
  for (const [, item] of records)
    await stage.client.send(
      new PutItemCommand({ TableName: stage.table, Item: { ...item, content: { B: Buffer.from('x') } } }),
    )
  await runRemoval(stage, caller.tenantId)
  expect([...(await allItems(stage))].filter(isRecord)).toEqual([])
  expect((await readItem(removedTenantItem, { id: caller.tenantId }))?.phase).toBeUndefined()
})
