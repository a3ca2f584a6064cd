/** Handshakes of wallets with a did:webvh: which reads are repeated where transactions conflict, and what an uncompleted one leaves. */
import { randomUUID } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebvhHost } from '../support/anoncreds/webvh-host.ts'
import { inTenant } from '../support/anoncreds/world.ts'
import { requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { itemsOf } from '../support/table/items.ts'
import { TransactionConflicts } from '../support/table/transaction-conflicts.ts'
import { inviteToConnect } from '../support/tenants.ts'
import { didExchangeRequest, type RawKey } from '../wallet/handshake-requests.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const DAYS = 24 * 60 * 60

/** The host is in this process: how long it takes to answer says how busy the machine is. */
vi.mock('../../lib/egress/post.ts', async (original) => {
  const actual = await original<typeof import('../../lib/egress/post.ts')>()
  const limits = { connectMs: 60_000, attemptMs: 60_000 }
  const get: typeof actual.get = (attempt) => actual.get({ ...attempt, limits: { ...attempt.limits, ...limits } })
  return { ...actual, get }
})

const { stage, caller, wallet } = await useTenantAndWallet()
const conflicts = new TransactionConflicts(stage.serviceClient)
const raw = new RawMessages(wallet)
const host = await stopAtEnd(WebvhHost.start())

afterEach(() => {
  vi.useRealTimers()
})

let number = 0

/** A DID whose document has the key of a wallet. */
const didOf = async (key: RawKey, services: object[]): Promise<string> => {
  const name = `wallet-${++number}`
  const method = { id: '#key', type: 'Multikey', publicKeyMultibase: key.fingerprint, purpose: 'authentication' }
  const { did } = await host.issuer(name, { verificationMethods: [method], services })
  return did
}

const inviteMany = () => inviteToConnect(stage, caller, { multiUseInvitation: true })
type Invited = Awaited<ReturnType<typeof inviteMany>>

const ask = async ({ invitation, invitationDid }: Invited, { did, key }: { did: string; key: RawKey }) => {
  const request = { ...didExchangeRequest(invitation['@id'], did), '~transport': { return_route: 'all' } }
  return raw.send(request, { ...(await raw.routeToDid(invitationDid)), senderKey: key })
}

const newWallet = async (services: object[] = []) => {
  const key = await raw.newKey()
  return { key, did: await didOf(key, services) }
}

const connectionsOf = async ({ outOfBandId }: Invited): Promise<Json[]> =>
  (await stage.call('getConnections', { caller, query: { outOfBandId } })).body

/** A message to the agent's DID of the only connection, which completes the handshake. */
const write = async (invited: Invited, key: RawKey) => {
  const [{ did }] = await connectionsOf(invited)
  const recipientKeys = await inTenant(caller.tenantId, async ({ dids }) =>
    (await dids.resolveDidDocument(did)).recipientKeys.filter((one) => one.is(Kms.Ed25519PublicJwk)),
  )
  const message = {
    ...{ '@type': 'https://didcomm.org/basicmessage/1.0/message', '@id': randomUUID() },
    ...{ content: 'hello', sent_time: '2026-01-01T00:00:00.000Z' },
  }
  return raw.send(message, { ...(await raw.routeToDid(invited.invitationDid)), recipientKeys, senderKey: key })
}

/** Expiry times of the recorded log states. */
const seen = async (): Promise<(number | undefined)[]> =>
  (await itemsOf(stage, `${caller.tenantId}|webvh-seen|`)).map(({ expiresAt }) => expiresAt && Number(expiresAt.N))

const readings = () => host.asked.filter((path) => path.endsWith('did.jsonl')).length

test('a document that was fetched for a message is not fetched again where its transaction conflicts', async () => {
  const invited = await inviteMany()
  const one = await newWallet()
  host.asked.length = 0
  conflicts.refuseNext(5)
  expect((await ask(invited, one)).status).toBe(200)
  expect(conflicts.refused()).toBe(5)
  expect(readings()).toBe(1)
})

test('many concurrent handshakes do not conflict with one another, and each reads its log once', async () => {
  const invited = await inviteMany()
  const wallets = await Promise.all(Array.from({ length: 8 }, () => newWallet()))
  host.asked.length = 0
  const { conflicting } = await conflicts.watch(async () => {
    const answers = await Promise.all(wallets.map((one) => ask(invited, one)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })
  expect(conflicting.filter((address) => !address.includes('|OutOfBandRecord|'))).toEqual([])
  expect(readings()).toBe(8)
  const count = await itemsOf(stage, `${caller.tenantId}|count|strangers|`)
  // One is of the test before.
  expect(count.reduce((sum, item) => sum + Number(item.count?.N), 0)).toBe(9)
})

test('the log state that a handshake has recorded expires, unless the handshake is completed', async () => {
  const before = (await seen()).length
  const invited = await inviteMany()
  const one = await newWallet()
  expect((await ask(invited, one)).status).toBe(200)
  const [{ createdAt }] = await connectionsOf(invited)
  const givenUp = Math.floor(Date.parse(createdAt) / 1000) + 7 * DAYS
  const expiring = await seen()
  expect(expiring).toHaveLength(before + 1)
  for (const expiry of expiring) {
    expect(expiry).toBeGreaterThan(givenUp - 60)
    expect(expiry).toBeLessThanOrEqual(givenUp + 2 * DAYS)
  }
  expect((await write(invited, one.key)).status).toBe(200)
  expect((await connectionsOf(invited))[0].state).toBe('completed')
  expect((await seen()).filter((expiry) => expiry === undefined)).toHaveLength(1)
  // A further handshake of the same DID does not let it expire again.
  expect((await ask(await inviteMany(), one)).status).toBe(200)
  expect((await seen()).filter((expiry) => expiry === undefined)).toHaveLength(1)
})

test('a rejected handshake leaves no log state permanently', async () => {
  const invited = await inviteMany()
  const { did } = await newWallet()
  const before = await seen()
  expect((await ask(invited, { did, key: await raw.newKey() })).status).toBeLessThan(500)
  expect((await seen()).filter((expiry) => expiry === undefined)).toEqual(
    before.filter((expiry) => expiry === undefined),
  )
})

test('the recorded log state lasts as long as the latest handshake may take', async () => {
  const one = await newWallet()
  expect((await ask(await inviteMany(), one)).status).toBe(200)
  const first = new Set(await seen())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * DAYS * 1000 })
  expect((await ask(await inviteMany(), one)).status).toBe(200)
  const [later] = (await seen()).filter((expiry) => !first.has(expiry))
  expect(later).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) + 7 * DAYS)
})

describe('a wallet with a did:webvh', () => {
  const ok = async (operation: Parameters<typeof stage.call>[0], asked: Json) => {
    const { status, body } = await stage.call(operation, { caller, ...asked })
    expect({ status, body }).toMatchObject({ status: 200 })
  }

  test('is sent messages on its connection', async () => {
    const invited = await inviteMany()
    const one = await newWallet()
    expect((await ask(invited, one)).status).toBe(200)
    expect((await write(invited, one.key)).status).toBe(200)
    const [{ id: connectionId }] = await connectionsOf(invited)
    const path = { connectionId }
    await ok('sendMessage', { path, body: { content: 'hello' } })
    await ok('sendPing', { path, body: {} })
    await ok('requestProof', { body: { ...requestBody, connectionId } })
    expect((await stage.call('deleteConnection', { caller, path })).status).toBe(204)
  })

  test('is answered by a call, and can be asked for a connection by its DID', async () => {
    const invited = await inviteToConnect(stage, caller, { multiUseInvitation: true, autoAcceptConnection: false })
    const reachable = { type: 'did-communication', priority: 0, serviceEndpoint: 'https://agent.example.org' }
    const one = await newWallet([{ id: '#didcomm', ...reachable, recipientKeys: ['#key'] }])
    expect((await ask(invited, one)).status).toBe(200)
    const [{ id: connectionId }] = await connectionsOf(invited)
    await ok('acceptConnectionRequest', { path: { connectionId }, body: {} })
    await ok('receiveImplicitInvitation', { body: { did: one.did } })
  })
})
