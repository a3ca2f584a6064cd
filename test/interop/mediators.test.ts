/** Wallets behind a mediator, which is Credo's: everything that the agent sends them goes through it, forwarded. */
import { PeerDidNumAlgo } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { createTenant, issueDegree, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectionOf, inviteToConnect } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { WalletOptions } from '../wallet/wallet-parts.ts'

const stage = await useStage()
const caller = await createTenant(stage)
const mediator = await useWallet({ label: 'Mediator', mediation: 'mediator' })

/** A wallet that tells others to reach it through mediators. */
const startMediated = async (options: WalletOptions = {}): Promise<Wallet> => {
  const wallet = await useWallet({ mediation: 'recipient', ...options })
  const { outOfBandInvitation } = await mediator.agent.didcomm.oob.createInvitation({})
  const connection = await wallet.connect(outOfBandInvitation.toUrl({ domain: 'https://mediator.example' }))
  await wallet.agent.didcomm.mediationRecipient.provision(connection)
  return wallet
}

const forwards = (): number =>
  mediator.journal.received.filter(({ type }) => type.endsWith('routing/1.0/forward')).length

/** Messages arrive in both directions, and the agent's through the mediator. */
const expectToTalk = async (wallet: Wallet, connectionId: string, walletConnectionId: string) => {
  const before = forwards()
  await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'hello, wallet' } })
  await waitFor('our message', async () =>
    (await wallet.messages(walletConnectionId)).some(({ content }) => content === 'hello, wallet'),
  )
  expect(forwards()).toBeGreaterThan(before)
  await wallet.sendMessage(walletConnectionId, 'hello, agent')
  const { body } = await stage.call('tenantGetBasicMessages', { caller, path: { ...caller, connectionId } })
  expect(body.map(({ content }: Json) => content)).toEqual(['hello, wallet', 'hello, agent'])
}

describe.each<[string, WalletOptions]>([
  ['did:peer:1', { peerDid: PeerDidNumAlgo.GenesisDoc }],
  ['did:peer:2', { peerDid: PeerDidNumAlgo.MultipleInceptionKeyWithoutDoc }],
  ['did:peer:4', { peerDid: PeerDidNumAlgo.ShortFormAndLongForm }],
  ['connections/1.0', { handshake: 'connections' }],
])('a wallet with a mediator in its document: %s', (_, options) => {
  test('connects, talks, takes a credential, and receives the problem report', async () => {
    const wallet = await startMediated(options)
    const { invitationUrl, outOfBandId } = await inviteToConnect(stage, caller)
    const { id: walletConnectionId } = await wallet.connect(invitationUrl)
    const { id: connectionId } = await connectionOf(stage, caller, outOfBandId, 'completed')
    await expectToTalk(wallet, connectionId, walletConnectionId)
    await issueDegree(stage, wallet, connectionId, caller)
    expect((await stage.call('deleteConnection', { caller, path: { connectionId } })).status).toBe(204)
    await waitFor('the hang-up', async () => {
      const { theirDid } = await wallet.agent.didcomm.connections.getById(walletConnectionId)
      return theirDid === undefined
    })
  })
})

test('a wallet that invites names its mediator, and is reached through it', async () => {
  const wallet = await startMediated()
  const routing = await wallet.agent.didcomm.mediationRecipient.getRouting({})
  const { outOfBandInvitation, id } = await wallet.agent.didcomm.oob.createInvitation({ routing, label: 'Wallet' })
  const { body: received } = await stage.call('receiveInvitationUrl', {
    caller,
    body: { invitationUrl: outOfBandInvitation.toUrl({ domain: 'https://wallet.example' }) },
  })
  const connectionId = received.connectionRecord.id
  await connectionOf(stage, caller, received.outOfBandRecord.id, 'completed')
  const [connection] = await wallet.agent.didcomm.connections.findAllByOutOfBandId(id)
  await expectToTalk(wallet, connectionId, connection?.id ?? '')
})

test('a mediator that is named in a call is a 422, because the agent needs none', async () => {
  const body = { mediatorId: 'b0f7c4f2-5b0e-4c58-9a57-1d1f2c0b5a11' }
  const { body: asked } = await stage.call('createRequest', { caller, body: requestBody })
  for (const { status, body: answer } of [
    await stage.call('createInvitation', { caller, body }),
    await stage.call('receiveInvitationUrl', { caller, body: { ...body, invitationUrl: asked.invitationUrl } }),
    await stage.call('acceptInvitation', { caller, path: { outOfBandId: asked.outOfBandRecord.id }, body }),
  ])
    expect({ status, paths: answer.details.map(({ path }: Json) => path) }).toEqual({
      status: 422,
      paths: ['mediatorId'],
    })
})
