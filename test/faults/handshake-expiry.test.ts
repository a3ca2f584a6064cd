/** DIDs and keys of unsolicited handshakes: they expire with a handshake that is not completed, and are kept once one is completed, whatever fails. */

import { randomUUID } from 'node:crypto'
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { Kms } from '@credo-ts/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { removeExpiry } from '../../lib/agent/connections/unsolicited-requests.ts'
import { fromRecordItem } from '../../lib/store/stored-record.ts'
import { inTenant } from '../support/anoncreds/world.ts'
import { FULL } from '../support/depth.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { inviteToConnect } from '../support/tenants.ts'
import { connectionRequest, didExchangeRequest, peerDidOf, type RawKey } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'

/** No server listens there, and the address guard allows it: a rotation to another one is refused. */
const NOWHERE = 'http://127.0.0.1:1024'
const DAYS = 24 * 60 * 60

const { stage, caller, wallet } = await useTenantAndWallet()
const watched = new StoreFaults(stage.serviceClient)
const raw = new RawMessages(wallet)
afterEach(() => {
  vi.useRealTimers()
})

const REQUESTS = {
  'did-exchange': (invitation: string, key: RawKey) => didExchangeRequest(invitation, peerDidOf([key], NOWHERE)),
  connections: (invitation: string, key: RawKey) => connectionRequest(invitation, [key], NOWHERE),
}
const PROTOCOLS = Object.entries(REQUESTS)

/** The items of the tenant's DIDs and keys, by their addresses: when they expire. */
const expiries = async (): Promise<Map<string, number | undefined>> => {
  const items = (
    await Promise.all(['DidRecord', 'key'].map((what) => itemsOf(stage, `${caller.tenantId}|${what}|`)))
  ).flat()
  return new Map(items.map(({ pk, sk, expiresAt }) => [`${pk?.S} ${sk?.S}`, expiresAt && Number(expiresAt.N)]))
}

/** Those that were created since. */
const madeSince = async (before: ReadonlyMap<string, unknown>): Promise<(number | undefined)[]> =>
  [...(await expiries())].filter(([address]) => !before.has(address)).map(([, expiry]) => expiry)

const connectionsOf = async (outOfBandId: string): Promise<Json[]> =>
  (await stage.call('getConnections', { caller, query: { outOfBandId } })).body

interface Handshake {
  connection: Json
  /** The route to the agent's DID of the connection, by the remote agent's key. */
  route: Route
}

const inviteMany = (more: object = {}) => inviteToConnect(stage, caller, { multiUseInvitation: true, ...more })

type Invited = Awaited<ReturnType<typeof inviteMany>>

/** A request with a new key. Resolves to the connection, and the route to it. */
const ask = async (
  { invitation, invitationDid, outOfBandId }: Invited,
  requestOf: (typeof REQUESTS)['connections' | 'did-exchange'],
  by?: RawKey,
): Promise<Handshake> => {
  const senderKey = by ?? (await raw.newKey())
  const to = await raw.routeToDid(invitationDid)
  const known = new Set((await connectionsOf(outOfBandId)).map(({ id }) => id))
  expect((await raw.send(requestOf(invitation['@id'], senderKey), { ...to, senderKey })).status).toBe(200)
  const [connection] = (await connectionsOf(outOfBandId)).filter(({ id }) => !known.has(id))
  return { connection, route: { ...to, senderKey } }
}

const send = async ({ connection, route }: Handshake, message: object) => {
  const recipientKeys = await inTenant(caller.tenantId, async ({ dids }) => {
    const { recipientKeys } = await dids.resolveDidDocument(connection.did)
    return recipientKeys.filter((one) => one.is(Kms.Ed25519PublicJwk))
  })
  return raw.send(message, { ...route, recipientKeys })
}

/** A message, which shows that the response has arrived. */
const write = (handshake: Handshake, content = 'hello') =>
  send(handshake, {
    '@type': 'https://didcomm.org/basicmessage/1.0/message',
    '@id': randomUUID(),
    content,
    sent_time: '2026-01-01T00:00:00.000Z',
  })

/** As the table has it: reads of the service are counted. */
const stateInTable = async ({ connection }: Handshake): Promise<string> => {
  const address = `${caller.tenantId}|ConnectionRecord|${connection.id}`
  const [record] = (await itemsOf(stage, address)).filter(({ kind }) => kind?.S === 'record')
  return String(fromRecordItem(record ?? {}).value.state)
}

describe.each(PROTOCOLS)('over %s', (_, requestOf) => {
  test('a handshake that is not completed leaves no DID and no key: they expire, and never before the handshake', async () => {
    const invited = await inviteMany()
    const before = await expiries()
    const { connection } = await ask(invited, requestOf)
    const made = await madeSince(before)
    // The record of the other agent's DID with its index entries, and a key, from which the agent's own DID is derived.
    expect(made.length).toBeGreaterThan(3)
    const givenUp = Math.floor(Date.parse(connection.createdAt) / 1000) + 7 * DAYS
    for (const expiry of made) {
      expect(expiry).toBeGreaterThan(givenUp)
      expect(expiry).toBeLessThanOrEqual(givenUp + 2 * DAYS)
    }
  })

  test.each([
    ['immediately shares its DID, which stays if one of them is completed', 0],
    ['after two days is completed when the DID of the first one has expired', 2],
  ])('another one of the same key %s', async (_, days) => {
    const invited = await inviteMany()
    const senderKey = await raw.newKey()
    const start = Date.now()
    const atDay = (day: number) => vi.useFakeTimers({ toFake: ['Date'], now: start + day * DAYS * 1000 })
    await ask(invited, requestOf, senderKey)
    atDay(days)
    const again = await ask(invited, requestOf, senderKey)
    atDay(days + 6.5)
    expect((await write(again)).status).toBe(200)
    atDay(days + 400)
    expect((await write(again, 'a year later')).status).toBe(200)
  })

  test.each(Object.entries(FAULTS).filter(([name]) => FULL || name.startsWith('times out')))(
    'the message that completes it makes all of them permanent, or none, where a request %s',
    async (_, kind) => {
      const invited = await inviteMany()
      const before = await expiries()
      const handshake = await ask(invited, requestOf)
      const expiring = await madeSince(before)
      let attempts = 0
      stage.onEnvelope((handle) =>
        watched.untilNoneIsLeft(kind, async () => {
          const reply = await handle()
          const completed = (await stateInTable(handshake)) === 'completed'
          expect(await madeSince(before)).toEqual(completed ? expiring.map(() => undefined) : expiring)
          attempts++
          return reply
        }),
      )
      expect((await write(handshake)).status).toBe(200)
      stage.onEnvelope((handle) => handle())
      expect(attempts).toBeGreaterThan(1)
      expect((await connectionsOf(invited.outOfBandId))[0].state).toBe('completed')
      expect(await checkTable(stage.client, stage.table)).toEqual([])
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * DAYS * 1000 })
      expect((await write(handshake, 'a year later')).status).toBe(200)
    },
  )
})

test('a request that waits to be accepted expires with its DID, and its answer as well', async () => {
  const invited = await inviteMany({ autoAcceptConnection: false })
  const before = await expiries()
  const handshake = await ask(invited, REQUESTS['did-exchange'])
  const asked = await madeSince(before)
  const path = { connectionId: handshake.connection.id }
  // In another invocation, some days later.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * DAYS * 1000 })
  const accepted = await stage.call('acceptConnectionRequest', { caller, path })
  expect(accepted).toMatchObject({ status: 200, body: { state: 'response-sent', metadata: {} } })
  const all = await madeSince(before)
  expect(all.length).toBeGreaterThan(asked.length)
  for (const expiry of all) expect(expiry).toBeDefined()
  expect((await write({ ...handshake, connection: accepted.body })).status).toBe(200)
  for (const expiry of await madeSince(before)) expect(expiry).toBeUndefined()
})

test('a handshake whose DID has expired is not completed, because its connection would lack the DID', async () => {
  const invited = await inviteMany()
  const before = await expiries()
  const handshake = await ask(invited, REQUESTS['did-exchange'])
  for (const { pk, sk } of await itemsOf(stage, `${caller.tenantId}|DidRecord|`))
    if (pk !== undefined && sk !== undefined && !before.has(`${pk.S} ${sk.S}`))
      await stage.client.send(new DeleteItemCommand({ TableName: stage.table, Key: { pk, sk } }))
  const complete = inTenant(caller.tenantId, async ({ context, didcomm }) =>
    removeExpiry(context, await didcomm.connections.getById(handshake.connection.id)),
  )
  await expect(complete).rejects.toMatchObject({ code: 'store.conflict' })
})

test('a DID that requests again, and never completes, takes nothing from its connection', async () => {
  const invited = await inviteMany()
  const handshake = await ask(invited, REQUESTS['did-exchange'])
  expect((await write(handshake)).status).toBe(200)
  const { senderKey } = handshake.route
  if (senderKey === undefined) throw new Error('the request had a sender')
  const to = await raw.routeToDid(invited.invitationDid)
  const again = didExchangeRequest(invited.invitation['@id'], peerDidOf([senderKey], NOWHERE))
  expect((await raw.send(again, { ...to, senderKey })).status).toBe(200)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * DAYS * 1000 })
  expect((await write(handshake)).status).toBe(200)
})

test('a connection that rotates to the DID of an uncompleted handshake keeps that DID', async () => {
  const unfinished = await ask(await inviteMany(), REQUESTS['did-exchange'])
  const handshake = await ask(await inviteMany(), REQUESTS['did-exchange'])
  expect((await write(handshake)).status).toBe(200)
  const rotation = {
    '@type': 'https://didcomm.org/did-rotate/1.0/rotate',
    '@id': randomUUID(),
    to_did: unfinished.connection.theirDid,
  }
  expect((await send(handshake, rotation)).status).toBe(200)
  const rotated = { ...handshake, route: unfinished.route }
  expect((await write(rotated)).status).toBe(200)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * DAYS * 1000 })
  expect((await write(rotated)).status).toBe(200)
})

test('an unknown sender that rotates before it completes the handshake leaves nothing more behind', async () => {
  const invited = await inviteMany()
  const before = await expiries()
  const handshake = await ask(invited, REQUESTS['did-exchange'])
  const senderKey = await raw.newKey()
  const rotation = {
    '@type': 'https://didcomm.org/did-rotate/1.0/rotate',
    '@id': randomUUID(),
    to_did: peerDidOf([senderKey], NOWHERE),
  }
  expect((await send(handshake, rotation)).status).toBe(200)
  const rotated = { ...handshake, route: { ...handshake.route, senderKey } }
  // It shows that the DID is its sender's, and completes no handshake.
  expect((await send(rotated, { ...rotation, '@id': randomUUID() })).status).toBe(200)
  expect(await stateInTable(handshake)).toBe('response-sent')
  for (const expiry of await madeSince(before)) expect(expiry).toBeDefined()
  expect((await write(rotated)).status).toBe(200)
  for (const expiry of await madeSince(before)) expect(expiry).toBeUndefined()
})

test('DIDs and keys of a single-use invitation do not expire', async () => {
  const before = await expiries()
  const invited = await inviteToConnect(stage, caller)
  await ask(invited, REQUESTS['did-exchange'])
  for (const expiry of await madeSince(before)) expect(expiry).toBeUndefined()
})
