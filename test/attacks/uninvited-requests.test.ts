/** Requests to connect by multi-use invitations and public DIDs: which are accepted, how many, and for how long. */
import { randomUUID } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import {
  DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionService,
  DidCommDidExchangeRole,
  DidCommDidExchangeState,
  DidCommHandshakeProtocol,
} from '@credo-ts/didcomm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { keyOfVerkey } from '../../lib/agent/keys/index.ts'
import { currentUnit } from '../../lib/store/transaction.ts'
import { assertNoRollback, expireVersions } from '../../lib/webvh/seen-versions.ts'
import { inTenant } from '../support/anoncreds/world.ts'
import { connect, createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { connectionOf, inviteToConnect } from '../support/tenants.ts'
import { storeDids } from '../support/wallets/dids-of-key.ts'
import { unknownKid } from '../support/wallets/hand-made-envelope.ts'
import { connectionRequest, didExchangeRequest, peerDidOf, type RawKey } from '../wallet/handshake-requests.ts'
import { type RawAnswer, RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const NOWHERE = 'http://127.0.0.1:1'
const DAYS = 24 * 60 * 60 * 1000

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
afterEach(() => {
  vi.useRealTimers()
})

const connectionsOf = async (outOfBandId: string, as = caller): Promise<Json[]> =>
  (await stage.call('getConnections', { caller: as, query: { outOfBandId } })).body
const accept = (connectionId: string, as = caller) =>
  stage.call('acceptConnectionRequest', { caller: as, path: { connectionId } })
const connectionNow = (connectionId: string) => stage.call('getConnectionById', { caller, path: { connectionId } })

/** A request by hand, of a key that is new. */
const ask = async (to: Route, invitation: string, requestOf = didExchange): Promise<RawAnswer & { route: Route }> => {
  const key = await raw.newKey()
  const route = { ...to, senderKey: key }
  return { ...(await raw.send(requestOf(invitation, key), route)), route }
}
const didExchange = (invitation: string, key: RawKey): Json => didExchangeRequest(invitation, peerDidOf([key], NOWHERE))
const connections = (invitation: string, key: RawKey): Json => connectionRequest(invitation, [key], NOWHERE)

const expectNoEffect = async (act: () => Promise<RawAnswer>, status = 400) => {
  const before = await recordsInTable(stage)
  expect((await act()).status).toBe(status)
  expect(changesSince(before, await recordsInTable(stage))).toEqual([])
}

/** Takes the wallet to a DID without an invitation. */
const askImplicitly = async (did: string, peer = wallet) => {
  const { connectionRecord } = await peer.agent.didcomm.oob.receiveImplicitInvitation({
    did,
    label: 'Stranger',
    handshakeProtocols: [DidCommHandshakeProtocol.DidExchange],
  })
  return connectionRecord?.id ?? ''
}

const waiting = async (as = caller): Promise<Json[]> =>
  (await stage.call('getConnections', { caller: as, query: { state: 'request-received' } })).body

describe('a request to a DID', () => {
  test('that an invitation named waits to be accepted, and is then a connection', async () => {
    const { invitationDid } = await inviteToConnect(stage, caller)
    const walletConnectionId = await askImplicitly(invitationDid)
    const [{ id, theirLabel, outOfBandId }] = await waiting()
    expect(theirLabel).toBe('Stranger')
    expect((await accept(id)).status).toBe(200)
    await connectionOf(stage, caller, outOfBandId, 'completed')
    await wallet.sendMessage(walletConnectionId, 'hello')
    const path = { ...caller, connectionId: id }
    expect((await stage.call('tenantGetBasicMessages', { caller, path })).body).toMatchObject([{ content: 'hello' }])
  })

  test('that was made to be known waits likewise', async () => {
    const made = await createTenant(stage)
    for (const numAlgo of [2, 4]) {
      const { body } = await stage.call('createDid', { caller: made, body: { method: 'peer', numAlgo } })
      await ask(await raw.routeToDid(body.did), body.did)
    }
    expect(await waiting(made)).toHaveLength(2)
  })

  test('of which there are two has one record of an invitation, also where they come at the same time', async () => {
    const { invitationDid } = await inviteToConnect(stage, caller)
    const route = await raw.routeToDid(invitationDid)
    const before = (await waiting()).length
    const answers = await Promise.all([1, 2, 3].map(() => ask(route, invitationDid)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const found = (await waiting()).slice(before)
    expect(found).toHaveLength(3)
    expect(new Set(found.map(({ outOfBandId }) => outOfBandId)).size).toBe(1)
    for (const { id } of found) expect((await accept(id)).status).toBe(200)
  })

  test('has no effect where no invitation named it', async () => {
    const { walletConnectionId } = await connect(stage, wallet, caller)
    const { theirDid = '' } = await wallet.agent.didcomm.connections.getById(walletConnectionId)
    await expectNoEffect(async () => ask(await raw.routeToDid(theirDid), theirDid))
  })

  test('has no effect where it is packed for the key of another DID', async () => {
    const { invitationDid } = await inviteToConnect(stage, caller)
    const { body: known } = await stage.call('createDid', { caller, body: { method: 'peer', numAlgo: 2 } })
    const other = await inviteToConnect(stage, caller)
    for (const did of [invitationDid, known.did])
      await expectNoEffect(async () => ask(await raw.routeToDid(other.invitationDid), did))
  })

  test('of another tenant has no effect', async () => {
    const { invitationDid } = await inviteToConnect(stage, await createTenant(stage))
    const mine = await inviteToConnect(stage, caller)
    await expectNoEffect(async () => ask(await raw.routeToDid(mine.invitationDid), invitationDid))
  })

  test('of many keys costs no read for each of them', async () => {
    const { invitationDid } = await inviteToConnect(stage, caller)
    const keys = Array.from({ length: 50 }, () => keyOfVerkey(unknownKid()))
    const watched = new StoreFaults(stage.serviceClient)
    await expectNoEffect(async () => {
      watched.commands.length = 0
      const answer = await ask(await raw.routeToDid(invitationDid), peerDidOf(keys, NOWHERE))
      expect(watched.commands.filter((command) => /Get/.test(command)).length).toBeLessThan(keys.length / 2)
      return answer
    })
  })

  test('has no effect over connections/1.0', async () => {
    const { invitationDid } = await inviteToConnect(stage, caller)
    await expectNoEffect(async () => ask(await raw.routeToDid(invitationDid), invitationDid, connections))
  })

  test('does not block the invitation that names the DID', async () => {
    for (const handshake of ['didexchange', 'connections'] as const) {
      const peer = await Wallet.start({ handshake })
      const { invitationDid, invitationUrl } = await inviteToConnect(stage, caller)
      await ask(await raw.routeToDid(invitationDid), invitationDid)
      await ask(await raw.routeToDid(invitationDid), invitationDid)
      await peer.connect(invitationUrl)
      await peer.stop()
    }
  })
})

describe('an invitation for many', () => {
  test('connects each of them', async () => {
    const { invitationUrl, outOfBandId } = await inviteToConnect(stage, caller, { multiUseInvitation: true })
    const other = await Wallet.start({ handshake: 'connections' })
    for (const peer of [wallet, other]) await peer.connect(invitationUrl)
    await waitFor('both', async () => (await connectionsOf(outOfBandId)).filter(isCompleted).length === 2)
    await other.stop()
  })

  test.each(Object.entries({ didExchange, connections }))(
    "counts against the tenant's rate, and one for a single wallet does not: %s",
    async (_, requestOf) => {
      const { settings } = await import('../../lib/settings.ts')
      const made = await createTenant(stage)
      const many = await inviteToConnect(stage, made, { multiUseInvitation: true })
      const route = await raw.routeToDid(many.invitationDid)
      const rate = settings().TENANT_RATE
      // Three in a minute, of which there may be two while these come.
      settings().TENANT_RATE = 0.05
      const statuses: number[] = []
      for (let number = 0; number < 7; number++)
        statuses.push((await ask(route, many.invitation['@id'], requestOf)).status)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
      expect((await connectionsOf(many.outOfBandId, made)).length).toBe(statuses.filter((one) => one === 200).length)
      for (let number = 0; number < 4; number++) {
        const one = await inviteToConnect(stage, made)
        const asked = await ask(await raw.routeToDid(one.invitationDid), one.invitation['@id'], requestOf)
        expect(asked.status).toBe(200)
      }
      settings().TENANT_RATE = rate
    },
  )
})

const isCompleted = ({ state }: Json): boolean => state === 'completed'

describe('a wallet with one key for all of its connections', () => {
  test.each([
    ['invitations for one', false],
    ['an invitation for many', true],
  ])('connects as often as it likes over connections/1.0: %s', async (_, multiUseInvitation) => {
    const made = await createTenant(stage)
    const key = await raw.newKey()
    await storeDids(made, key, 49)
    let invited = await inviteToConnect(stage, made, { multiUseInvitation })
    // It has fifty with the first of them.
    for (let number = 0; number < 3; number++) {
      if (!multiUseInvitation) invited = await inviteToConnect(stage, made)
      const route = { ...(await raw.routeToDid(invited.invitationDid)), senderKey: key }
      expect((await raw.send(connections(invited.invitation['@id'], key), route)).status).toBe(200)
    }
  })

  test('stays connected where one of two handshakes that share its DID came to nothing', async () => {
    const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller, {
      multiUseInvitation: true,
    })
    const key = await raw.newKey()
    const route = { ...(await raw.routeToDid(invitationDid)), senderKey: key }
    for (let number = 0; number < 2; number++)
      expect((await raw.send(connections(invitation['@id'], key), route)).status).toBe(200)
    const [, second] = await connectionsOf(outOfBandId)
    const recipientKeys = await inTenant(caller.tenantId, async ({ dids }) =>
      (await dids.resolveDidDocument(second.did)).recipientKeys.filter((one) => one.is(Kms.Ed25519PublicJwk)),
    )
    const ping = () => ({ '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': randomUUID() })
    expect((await raw.send(ping(), { ...route, recipientKeys })).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * DAYS })
    expect(await connectionsOf(outOfBandId)).toHaveLength(1)
    expect((await raw.send(ping(), { ...route, recipientKeys })).status).toBe(200)
  })
})

describe('handshakes that come to nothing', () => {
  /** As many as there may be, created concurrently; the first ones are the oldest. */
  const fill = async (outOfBandId: string, state: DidCommDidExchangeState): Promise<string[]> => {
    const { MAX_UNFINISHED } = await import('../../lib/agent/connections/unsolicited-requests.ts')
    const made = Array.from(
      { length: MAX_UNFINISHED },
      (_, number) =>
        new DidCommConnectionRecord({
          role: DidCommDidExchangeRole.Responder,
          createdAt: new Date(Date.now() - 1_000_000 + number),
          threadId: randomUUID(),
          ...{ state, outOfBandId },
        }),
    )
    for (let from = 0; from < made.length; from += 10)
      await inTenant(caller.tenantId, async ({ context }) => {
        for (const record of made.slice(from, from + 10))
          await context.resolve(DidCommConnectionRepository).save(context, record)
      })
    return made.map(({ id }) => id)
  }

  test('are bounded: where they wait to be accepted, further ones are rejected', async () => {
    const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller, {
      multiUseInvitation: true,
      autoAcceptConnection: false,
    })
    const [first = ''] = await fill(outOfBandId, DidCommDidExchangeState.RequestReceived)
    const route = await raw.routeToDid(invitationDid)
    await expectNoEffect(() => ask(route, invitation['@id']), 429)
    expect((await stage.call('deleteConnection', { caller, path: { connectionId: first } })).status).toBe(204)
    expect((await ask(route, invitation['@id'])).status).toBe(200)
  })

  test('are bounded: where they are accepted by themselves, the oldest gives way to another', async () => {
    const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller, {
      multiUseInvitation: true,
    })
    const [first = '', second = ''] = await fill(outOfBandId, DidCommDidExchangeState.ResponseSent)
    expect((await ask(await raw.routeToDid(invitationDid), invitation['@id'])).status).toBe(200)
    expect((await connectionNow(first)).status).toBe(404)
    expect((await connectionNow(second)).status).toBe(200)
  })

  test('expire, and those that were completed do not, whatever becomes of them', async () => {
    const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller, {
      multiUseInvitation: true,
    })
    const { route } = await ask(await raw.routeToDid(invitationDid), invitation['@id'])
    const [{ id: unfinished }] = await connectionsOf(outOfBandId)
    const completed = await connect(stage, wallet, caller)
    const ended = await connect(stage, wallet, caller)
    await wallet.agent.didcomm.connections.hangup({ connectionId: ended.walletConnectionId })
    const { body: given } = await connectionNow(unfinished)
    expect(given.state).toBe('response-sent')
    expect(route.senderKey).toBeDefined()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * DAYS })
    expect((await connectionNow(unfinished)).status).toBe(200)
    vi.setSystemTime(Date.now() + 2 * DAYS)
    expect((await connectionNow(unfinished)).status).toBe(404)
    expect(await connectionsOf(outOfBandId)).toEqual([])
    for (const { connectionId } of [completed, ended]) expect((await connectionNow(connectionId)).status).toBe(200)
  })

  test('let an older log of a did:webvh be read later, and those that were completed do not', async () => {
    const didAt = (path: string) => `did:webvh:Qm${'1'.repeat(44)}:example.org:${path}`
    const [unfinished, completed] = [didAt('unfinished'), didAt('completed')]
    const read = (did: string, ...versions: string[]) => assertNoRollback(currentUnit(), did, versions)
    for (const theirDid of [unfinished, completed])
      await inTenant(caller.tenantId, async ({ context }) => {
        expireVersions(currentUnit())
        await read(theirDid, '1-a', '2-b')
        if (theirDid === unfinished) return
        const { Responder: role } = DidCommDidExchangeRole
        const { ResponseSent: state, Completed } = DidCommDidExchangeState
        const connection = new DidCommConnectionRecord({ role, state, theirDid, threadId: randomUUID() })
        await context.resolve(DidCommConnectionRepository).save(context, connection)
        await context.resolve(DidCommConnectionService).updateState(context, connection, Completed)
      })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * DAYS })
    await inTenant(caller.tenantId, () => read(unfinished, '1-a'))
    await expect(inTenant(caller.tenantId, () => read(completed, '1-a'))).rejects.toThrow('older')
  })

  test('expire also where the other agent has given them up', async () => {
    const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller, {
      multiUseInvitation: true,
    })
    const { route } = await ask(await raw.routeToDid(invitationDid), invitation['@id'])
    const [{ id, did, threadId }] = await connectionsOf(outOfBandId)
    const report = {
      '@type': 'https://didcomm.org/didexchange/1.1/problem-report',
      '@id': randomUUID(),
      '~thread': { thid: threadId },
      description: { code: 'response_not_accepted', en: 'no' },
    }
    await raw.send(report, { ...(await raw.routeToDid(did)), senderKey: route.senderKey as RawKey })
    expect((await connectionNow(id)).body.state).toBe('abandoned')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * DAYS })
    expect((await connectionNow(id)).status).toBe(404)
  })
})
