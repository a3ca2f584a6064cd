/** Handshakes: DID Exchange (Aries RFC 0023), Connections (RFC 0160), reuse (RFC 0434), DID Rotate (RFC 0794). */
import assert from 'node:assert/strict'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { waitFor } from '../../wallet/wait.ts'
import { connect, type Handshake, invitationOf, receive } from '../connect.ts'
import { arrived, ping, talkBothWays } from '../messages.ts'
import { anyDegree } from '../requests.ts'
import type { Scenario } from '../scenario.ts'

const ROLE = 'responder'

/** A connection is made, and a message of each side comes through. */
const handshake =
  (options: Handshake): Scenario['play'] =>
  async (scene) => {
    const { connection, walletConnectionId } = await connect(scene, options)
    await ping(scene.acapy, walletConnectionId)
    if (scene.agent.tenantId !== undefined) await talkBothWays(scene, connection.id, walletConnectionId)
  }

/** The same with a did:peer, by which our side finds the connection as the wallet shows it: a did:peer:4 in its short form. */
const peerHandshake =
  (options: Handshake): Scenario['play'] =>
  async (scene) => {
    const { connection, walletConnectionId } = await connect(scene, { ...options, protocol: 'didexchange/1.1' })
    const { my_did: did } = await scene.acapy.get(`/connections/${walletConnectionId}`)
    const found = await scene.agent.ask(`/connections?theirDid=${did}`)
    assert.deepEqual(
      found.map(({ id }: Json) => id),
      [connection.id],
    )
    await ping(scene.acapy, walletConnectionId)
    await talkBothWays(scene, connection.id, walletConnectionId)
  }

export const HANDSHAKES: Scenario[] = [
  {
    name: 'did-exchange-peer-4',
    title: 'connects with a did:peer:4',
    protocol: 'DID Exchange 1.1',
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: peerHandshake({}),
  },
  {
    name: 'did-exchange-peer-2',
    title: 'connects with a did:peer:2',
    protocol: 'DID Exchange 1.1',
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: peerHandshake({ didMethod: 'did:peer:2' }),
  },
  {
    name: 'did-exchange-base-agent',
    title: 'connects with the base agent',
    protocol: 'DID Exchange 1.1',
    role: ROLE,
    versions: ['1.7.0'],
    agent: 'base',
    play: handshake({}),
  },
  {
    name: 'did-exchange-own-choice',
    title: 'connects by the first protocol that the invitation offers',
    protocol: 'DID Exchange 1.1',
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: handshake({}),
  },
  {
    name: 'did-exchange-unqualified',
    title: 'connects with an unqualified DID and an attached document, or hears a problem report',
    protocol: 'DID Exchange 1.0',
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    refuses: true,
    play: async ({ acapy, agent }) => {
      const request = await agent.request(anyDegree())
      const invitation = invitationOf(request)
      // ACA-Py answers its controller with an error when there is no connection.
      const receiving = receive(acapy, invitation, { protocol: 'didexchange/1.0' }).catch(() => {})
      await waitFor('a connection or a problem report', async () => {
        const [connection] = await agent.connectionsOf(request)
        if (connection?.state === 'completed') return true
        const reports = await acapy.heard('didexchange/1.0/problem_report')
        return reports.some((report) => report['~thread']?.pthid === invitation['@id'])
      })
      await receiving
    },
  },
  {
    name: 'connections',
    title: 'connects',
    protocol: 'Connections 1.0',
    role: 'inviter',
    versions: ['1.2.7'],
    play: handshake({ protocol: 'connections/1.0' }),
  },
  {
    name: 'connections-base-agent',
    title: 'connects with the base agent',
    protocol: 'Connections 1.0',
    role: 'inviter',
    versions: ['1.2.7'],
    agent: 'base',
    play: handshake({ protocol: 'connections/1.0' }),
  },
  {
    name: 'did-exchange-complete-again',
    title: 'sends its complete twice; the connection stays as it is',
    protocol: 'DID Exchange 1.1',
    role: ROLE,
    versions: ['1.7.0'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { request, connection, walletConnectionId } = await connect(scene)
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://didcomm.org/didexchange/1.1/complete',
        '@id': crypto.randomUUID(),
        '~thread': { thid: connection.threadId, pthid: invitationOf(request)['@id'] },
      })
      await talkBothWays(scene, connection.id, walletConnectionId)
      assert.equal((await agent.connectionsOf(request))[0]?.state, 'completed')
    },
  },
  {
    name: 'invitation-used-twice',
    title: 'cannot use an invitation that another wallet has used',
    protocol: 'Out-of-Band 1.1',
    role: 'sender',
    versions: ['1.7.0'],
    refuses: true,
    play: async (scene) => {
      const { agent } = scene
      const { request, connection, walletConnectionId } = await connect(scene)
      const other = await scene.anotherWallet()
      await assert.rejects(receive(other, invitationOf(request)))
      assert.deepEqual(
        (await agent.connectionsOf(request)).map(({ id }) => id),
        [connection.id],
      )
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'handshake-reuse',
    title: 'reuses its connection for another invitation of the same DID',
    protocol: 'Out-of-Band 1.1',
    role: 'sender',
    versions: ['1.7.0', '1.2.7'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { request, walletConnectionId, connection } = await connect(scene)
      const second = await agent.request({ ...anyDegree(), invitationDid: request.invitationDid })
      // With a request attached ACA-Py uses the connection without a word.
      const { 'requests~attach': _, ...invitation } = invitationOf(second)
      assert.equal(await receive(acapy, invitation), walletConnectionId)
      const accepted = await waitFor(
        'our acceptance',
        async () => (await acapy.heard('handshake-reuse-accepted', walletConnectionId))[0],
      )
      assert.equal(accepted['~thread'].pthid, invitation['@id'])
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'did-rotate',
    title: 'rotates to another DID, and talks on',
    protocol: 'DID Rotate 1.0',
    role: 'observing',
    versions: ['1.7.0', '1.2.7'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      const { result } = await acapy.post('/wallet/did/create', { method: 'did:peer:4' })
      await acapy.post(`/did-rotate/${walletConnectionId}/rotate`, { to_did: result.did })
      await waitFor(
        'the wallet to have our ack',
        async () => (await acapy.heard('did-rotate/1.0/ack', walletConnectionId))[0],
      )
      await talkBothWays(scene, connection.id, walletConnectionId)
      const { theirDid } = await agent.ask(`/connections/${connection.id}`)
      assert.notEqual(theirDid, connection.theirDid)
    },
  },
  {
    name: 'did-rotate-hangup',
    title: 'hangs up',
    protocol: 'DID Rotate 1.0',
    role: 'observing',
    versions: ['1.7.0'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      await acapy.post(`/did-rotate/${walletConnectionId}/hangup`)
      await arrived(scene, 'did-rotate/1.0/hangup')
      await assert.rejects(agent.send(connection.id, 'Are you there?'))
    },
  },
]
