/** What a deleted connection and a deleted invitation leave in the table: what expires, and what others use. */
import { PeerDidNumAlgo } from '@credo-ts/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { runJob } from '../../lib/jobs/run.ts'
import { connectionRemovalJob } from '../../lib/removal/connection-job.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet, useWallet } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { checkTable } from '../support/table/table-checker.ts'
import {
  connectionOf,
  type InvitationOptions,
  inviteToConnect,
  settled,
  succeed,
  takeInvitation,
} from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { WalletOptions } from '../wallet/wallet-parts.ts'

const { stage, caller } = await useTenantAndWallet()
const { tenantId } = caller
afterEach(() => void vi.useRealTimers())

/** The tenant's items that do not expire, by their addresses. */
const lasting = async (): Promise<Map<string, Json>> => {
  const items = await itemsOf(stage, `${tenantId}|`)
  return new Map(items.filter(({ expiresAt }) => !expiresAt).map((item) => [`${item.pk?.S} ${item.sk?.S}`, item]))
}

const say = async (connectionId: string, content: string) =>
  succeed(stage, 'sendMessage', caller, { path: { connectionId }, body: { content } })

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

const deleteConnection = async (connectionId: string) => {
  await succeed(stage, 'deleteConnection', caller, { path: { connectionId } })
  await runRemoval(connectionId)
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
      const { pickupExpiryJob } = await import('../../lib/pickup/expiry-job.ts')
      const job = { tenant: tenantId, type: 'pickup-expiry', id: connectionId } as const
      for (let run = 0; run < 2; run++) await stage.line.guard.run('runJobs', () => runJob(job, pickupExpiryJob))
    }
    await runRemoval(connectionId)
    await deleteInvitation(invited.outOfBandId)
    const after = await lasting()
    for (const address of after.keys()) if (address.includes('pickup-usage')) after.delete(address)
    expect([...after.keys()].filter((address) => !before.has(address))).toEqual([])
    expect(after).toEqual(before)
    expect(await checkTable(stage.client, stage.table)).toEqual([])
  })
})
