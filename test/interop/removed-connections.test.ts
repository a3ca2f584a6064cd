/** What a deleted connection and a deleted invitation leave in the table: what expires, and what others use. */
import { randomUUID } from 'node:crypto'
import { Kms, PeerDidNumAlgo } from '@credo-ts/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { runJob } from '../../lib/jobs/run.ts'
import { connectionRemovalJob } from '../../lib/removal/connection-job.ts'
import { inTenant } from '../support/anoncreds/world.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet, useWallet } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { connectionOf, type InvitationOptions, inviteToConnect, settled, succeed } from '../support/tenants.ts'
import { didExchangeRequest, peerDidOf, peerDidWith, type RawKey } from '../wallet/handshake-requests.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { WalletOptions } from '../wallet/wallet-parts.ts'

const { stage, caller } = await useTenantAndWallet()
const { tenantId } = caller
afterEach(() => void vi.useRealTimers())

/** The tenant's items that do not expire, by their addresses. */
const lasting = async (): Promise<Map<string, string>> => {
  const items = await itemsOf(stage, `${tenantId}|`)
  return new Map(
    items.filter(({ expiresAt }) => !expiresAt).map((item) => [`${item.pk?.S} ${item.sk?.S}`, JSON.stringify(item)]),
  )
}

const say = async (connectionId: string, content: string) =>
  succeed(stage, 'sendMessage', caller, { path: { connectionId }, body: { content } })

const raw = new RawMessages(await useWallet())

const recipientKeysOf = (did: string) =>
  inTenant(tenantId, async ({ dids }) =>
    (await dids.resolveDidDocument(did)).recipientKeys.map((key) => key.fingerprint),
  )

const deleteInvitation = (outOfBandId: string) =>
  succeed(stage, 'deleteOutOfBandRecord', caller, { path: { outOfBandId } })

/** The job of a deleted connection runs when it is due. */
const runRemoval = async (id: string, minutes = 2) => {
  await settled(stage)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  const job = { tenant: tenantId, type: 'connection-removal', id } as const
  await stage.line.guard.run('removeOwned', () => runJob(job, connectionRemovalJob))
  vi.useRealTimers()
}

const deleteConnection = async (connectionId: string, minutes?: number) => {
  await succeed(stage, 'deleteConnection', caller, { path: { connectionId } })
  await runRemoval(connectionId, minutes)
}

const connectBy = async (wallet: Wallet, { invitationUrl, outOfBandId }: Json) => {
  const known = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
  const { id: walletConnectionId } = await wallet.connect(invitationUrl)
  const { id: connectionId }: Json = await waitFor('the connection', async () => {
    const all: Json[] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
    return all.find(({ id, state }) => state === 'completed' && !known.some((one: Json) => one.id === id))
  })
  return { connectionId, walletConnectionId }
}

/** Messages both ways. */
const converse = async (
  wallet: Wallet,
  { connectionId, walletConnectionId }: Awaited<ReturnType<typeof connectBy>>,
) => {
  await say(connectionId, 'to the wallet')
  await wallet.sendMessage(walletConnectionId, 'from the wallet')
  await waitFor('messages', async () => {
    const messages = await succeed(stage, 'getBasicMessages', caller, { path: { connectionId } })
    return messages.filter(({ role }: Json) => role === 'receiver').length > 0 && (await wallet.messages()).length > 1
  })
}

const KINDS: [string, WalletOptions, InvitationOptions][] = [
  ['did-exchange with a did:peer:4', { handshake: 'didexchange' }, {}],
  ['did-exchange with a did:peer:1', { handshake: 'didexchange', peerDid: PeerDidNumAlgo.GenesisDoc }, {}],
  [
    'did-exchange with a did:peer:2 and a multi-use invitation',
    { handshake: 'didexchange', peerDid: PeerDidNumAlgo.MultipleInceptionKeyWithoutDoc },
    { multiUseInvitation: true },
  ],
  ['connections/1.0', { handshake: 'connections' }, {}],
  ['connections/1.0 with a multi-use invitation', { handshake: 'connections' }, { multiUseInvitation: true }],
  ['did-exchange without an endpoint', { handshake: 'didexchange', endpoint: false }, {}],
]

describe.each(KINDS)('a connection by %s', (_, options, invitation) => {
  test('leaves nothing that does not expire, with its invitation', async () => {
    const before = await lasting()
    const wallet = await useWallet(options)
    const invited = await inviteToConnect(stage, caller, invitation)
    const connected = await connectBy(wallet, invited)
    const { connectionId } = connected
    if (options.endpoint === false) await say(connectionId, 'never fetched')
    else await converse(wallet, connected)
    const body = { question: 'Yes?', validResponses: [{ text: 'yes' }] }
    await succeed(stage, 'sendQuestion', caller, { path: { connectionId }, body })
    await settled(stage)
    expect((await lasting()).size).toBeGreaterThan(before.size + 15)
    await succeed(stage, 'deleteConnection', caller, { path: { connectionId } })
    if (options.endpoint === false) {
      await runRemoval(connectionId)
      expect((await itemsOf(stage, `${tenantId}|BasicMessageRecord|`)).length).toBeGreaterThan(0)
      const { pickupExpiryJob } = await import('../../lib/pickup/expiry-job.ts')
      const job = { tenant: tenantId, type: 'pickup-expiry', id: connectionId } as const
      for (let run = 0; run < 2; run++) await stage.line.guard.run('runJobs', () => runJob(job, pickupExpiryJob))
    }
    await runRemoval(connectionId, 10)
    await deleteInvitation(invited.outOfBandId)
    expect(await itemsOf(stage, `${tenantId}|delivery|`)).toEqual([])
    const after = await lasting()
    for (const address of after.keys()) if (address.includes('pickup-usage')) after.delete(address)
    expect([...after.keys()].filter((address) => !before.has(address))).toEqual([])
    expect(after).toEqual(before)
    expect(await checkTable(stage.client, stage.table)).toEqual([])
  })
})

/** In minutes. Messages to wallets that are down are no longer awaited. */
const THREE_DAYS = 3 * 24 * 60

const inviteMany = (body: object = {}) => inviteToConnect(stage, caller, { multiUseInvitation: true, ...body })

test('of two connections of an invitation, one keeps all it has when the other and the invitation are deleted', async () => {
  const [first, second] = [await useWallet(), await useWallet({ handshake: 'connections' })]
  const invited = await inviteMany()
  const stays = await connectBy(second, invited)
  await converse(second, stays)
  await settled(stage)
  const before = await lasting()
  const goes = await connectBy(first, invited)
  await converse(first, goes)
  await deleteConnection(goes.connectionId)
  expect(await lasting()).toEqual(before)
  await deleteInvitation(invited.outOfBandId)
  expect((await lasting()).size).toBe(before.size - 4)
  await converse(second, stays)
})

test.each([PeerDidNumAlgo.ShortFormAndLongForm, PeerDidNumAlgo.GenesisDoc])(
  'a key or DID (did:peer:%i) that another connection or invitation has stays until the last of them is deleted',
  async (peerDid) => {
    await settled(stage)
    const before = await lasting()
    const wallet = await useWallet({ peerDid })
    const invited = await inviteMany()
    const alone = await lasting()
    const again = await inviteMany({ recipientKey: (await recipientKeysOf(invited.invitationDid))[0] })
    await deleteInvitation(again.outOfBandId)
    expect(await lasting()).toEqual(alone)
    const { connectionId } = await connectBy(wallet, invited)
    const { did } = await succeed(stage, 'getConnectionById', caller, { path: { connectionId } })
    const invitations = [invited]
    for (const key of [invited.invitationDid, did]) {
      const [recipientKey] = await recipientKeysOf(key)
      invitations.push(await inviteMany({ recipientKey }))
      const legacy = await succeed(stage, 'createLegacyInvitation', caller, { body: { recipientKey } })
      invitations.push({ ...legacy, outOfBandId: legacy.outOfBandRecord.id })
    }
    await settled(stage)
    await deleteConnection(connectionId)
    for (const [index, { outOfBandId }] of invitations.entries()) {
      const keys = (await itemsOf(stage, `${tenantId}|key|`)).length
      await deleteInvitation(outOfBandId)
      const isLast = index === 2 || index === 4
      expect((await itemsOf(stage, `${tenantId}|key|`)).length).toBe(isLast ? keys - 1 : keys)
    }
    expect(await lasting()).toEqual(before)
  },
)

test('the DID of a wallet that has two connections stays with the second one', async () => {
  const key = await raw.newKey()
  const ask = async () => {
    const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller)
    const request = didExchangeRequest(invitation['@id'], peerDidOf([key], 'http://127.0.0.1:1024'))
    await raw.send(request, { ...(await raw.routeToDid(invitationDid)), senderKey: key })
    const [{ id }] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
    return id
  }
  const didsNow = () => itemsOf(stage, `${tenantId}|DidRecord|`)
  const none = (await didsNow()).length
  const [one, other] = [await ask(), await ask()]
  const both = await didsNow()
  await deleteConnection(one, THREE_DAYS)
  expect(await didsNow()).toEqual(both)
  await deleteConnection(other, THREE_DAYS)
  expect(await didsNow()).toHaveLength(none)
})

test('a DID of another agent that contains keys of this agent, and one of zeros, takes none of them along', async () => {
  const didsAndKeys = async () => [...(await lasting())].filter(([address]) => /\|(?:DidRecord|key)\|/.test(address))
  const invited = await inviteToConnect(stage, caller)
  const { did } = await succeed(stage, 'createDid', caller, { body: { method: 'peer' } })
  const before = await didsAndKeys()
  const key = await raw.newKey()
  const ours = (await Promise.all([invited.invitationDid, did].map((one) => raw.routeToDid(one)))).flatMap(
    ({ recipientKeys }) => recipientKeys,
  )
  const zeros = Kms.PublicJwk.fromFingerprint('z6MkeTG3bFFSLYVU7VqhgZxqr6YzpaGrQtFMh1uvqGy1vDnP') as RawKey
  // A key of zeros can be no recipient key.
  const recipients = { recipientKeys: [key, ...ours].map((_, n) => `#key-${n + 1}`), r: [], priority: 0 }
  const service = { t: 'did-communication', s: 'http://127.0.0.1:1024', ...recipients }
  const hostile = peerDidWith([key, ...ours, zeros], service)
  const request = didExchangeRequest(invited.invitation['@id'], hostile)
  const route = { ...(await raw.routeToDid(invited.invitationDid)), senderKey: key }
  expect((await raw.send(request, route)).status).toBe(200)
  const query = { outOfBandId: invited.outOfBandId }
  const [{ id, theirDid }] = await succeed(stage, 'getConnections', caller, { query })
  expect(theirDid).toBe(hostile)
  await deleteConnection(id, THREE_DAYS)
  expect(await didsAndKeys()).toEqual(before)
})

test('a public DID stays, also where it was the DID of a connection and of its invitation', async () => {
  const other = await createTenant(stage, 'Globex')
  const { did } = await succeed(stage, 'createDid', caller, { body: { method: 'peer' } })
  const publicItems = await lasting()
  const invited = await inviteToConnect(stage, other)
  const body = { invitationUrl: invited.invitationUrl, ourDid: did }
  const { connectionRecord, outOfBandRecord } = await succeed(stage, 'receiveInvitationUrl', caller, { body })
  const created = await inviteToConnect(stage, caller, { invitationDid: did } as InvitationOptions)
  await connectionOf(stage, other, invited.outOfBandId)
  await deleteConnection(connectionRecord.id)
  for (const id of [outOfBandRecord.id, created.outOfBandId]) await deleteInvitation(id)
  expect(await lasting()).toEqual(publicItems)
})

test('while messages wait for a wallet that is down, only the other items are removed; after two days they are, too', async () => {
  const before = await lasting()
  const wallet = await useWallet()
  const invited = await inviteToConnect(stage, caller)
  const { connectionId } = await connectBy(wallet, invited)
  await wallet.pause()
  await say(connectionId, 'never delivered')
  await succeed(stage, 'deleteConnection', caller, { path: { connectionId } })
  await deleteInvitation(invited.outOfBandId)
  const left = async () => [...(await lasting()).keys()].filter((address) => !before.has(address))
  await runRemoval(connectionId)
  const kinds = (await left()).map((address) => address.slice(tenantId.length + 1).replace(/[ |].*/, ''))
  expect(new Set(kinds)).toEqual(new Set(['ConnectionRecord', 'DidRecord', 'job', 'key']))
  await stage.line.pause()
  await runRemoval(connectionId, THREE_DAYS)
  expect(await left()).toEqual([])
  stage.line.run()
})

test('a message for a connection that was removed is rejected, and a repeated one gets its first response', async () => {
  const invited = await inviteToConnect(stage, caller)
  const key = await raw.newKey()
  const request = didExchangeRequest(invited.invitation['@id'], peerDidOf([key], 'http://127.0.0.1:1024'))
  const route = { ...(await raw.routeToDid(invited.invitationDid)), senderKey: key }
  expect((await raw.send(request, route)).status).toBe(200)
  const [{ id, did }] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId: invited.outOfBandId } })
  const message = (content: string) => ({
    ...{ '@type': 'https://didcomm.org/basicmessage/1.0/message', '@id': randomUUID(), content },
    sent_time: '2026-01-01T00:00:00.000Z',
  })
  const to = { ...(await raw.routeToDid(did)), senderKey: key }
  const envelope = await raw.pack(message('first'), to)
  expect((await raw.postEnvelope(envelope, to.endpoint)).status).toBe(200)
  await deleteConnection(id)
  expect((await raw.postEnvelope(envelope, to.endpoint)).status).toBe(200)
  expect((await raw.send(message('second'), to)).status).toBe(400)
})
