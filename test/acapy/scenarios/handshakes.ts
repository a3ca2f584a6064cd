/** Handshakes: DID Exchange (Aries RFC 0023), Connections (RFC 0160), reuse (RFC 0434), DID Rotate (RFC 0794). */
import assert from 'node:assert/strict'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { waitFor } from '../../wallet/wait.ts'
import { connect, type Handshake, invitationOf, receive } from '../connect.ts'
import { arrived, ping, talkBothWays } from '../messages.ts'
import { requested } from '../presentations.ts'
import { anyDegree } from '../requests.ts'
import { type Scenario, scenario } from '../scenario.ts'

const DID_EXCHANGE = { protocol: 'DID Exchange 1.1', role: 'responder' }
const CONNECTIONS = { protocol: 'Connections 1.0', role: 'inviter', versions: ['1.2.7'] } as const
const OUT_OF_BAND = { protocol: 'Out-of-Band 1.1', role: 'sender' }
const DID_ROTATE = { protocol: 'DID Rotate 1.0', role: 'observing' }

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
  scenario(DID_EXCHANGE, 'did-exchange-peer-4', 'connects with a did:peer:4', peerHandshake({})),
  scenario(
    DID_EXCHANGE,
    'did-exchange-peer-2',
    'connects with a did:peer:2',
    peerHandshake({ didMethod: 'did:peer:2' }),
  ),
  scenario(
    { ...DID_EXCHANGE, versions: ['1.7.0'], agent: 'base' },
    'did-exchange-base-agent',
    'connects with the base agent',
    handshake({}),
  ),
  scenario(
    DID_EXCHANGE,
    'did-exchange-own-choice',
    'connects by the first protocol that the invitation offers',
    handshake({}),
  ),
  scenario(
    { ...DID_EXCHANGE, protocol: 'DID Exchange 1.0', refuses: true },
    'did-exchange-unqualified',
    'connects with an unqualified DID and an attached document, or hears a problem report',
    async ({ acapy, agent }) => {
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
  ),
  scenario(CONNECTIONS, 'connections', 'connects', handshake({ protocol: 'connections/1.0' })),
  scenario(
    { ...CONNECTIONS, agent: 'base' },
    'connections-base-agent',
    'connects with the base agent',
    handshake({ protocol: 'connections/1.0' }),
  ),
  scenario(
    { ...DID_EXCHANGE, versions: ['1.7.0'] },
    'did-exchange-complete-again',
    'sends its complete twice; the connection stays as it is',
    async (scene) => {
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
  ),
  scenario(
    { ...OUT_OF_BAND, versions: ['1.7.0'], refuses: true },
    'invitation-used-twice',
    'cannot use an invitation that another wallet has used',
    async (scene) => {
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
  ),
  scenario(
    OUT_OF_BAND,
    'handshake-reuse',
    'reuses its connection for another invitation of the same DID',
    async (scene) => {
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
  ),
  scenario(
    OUT_OF_BAND,
    'reuse-declined',
    'declines the request of another invitation on its connection',
    async ({ acapy, agent, ...scene }) => {
      const { request, connection } = await connect({ acapy, agent, ...scene })
      const second = await agent.request({ ...anyDegree(), invitationDid: request.invitationDid })
      await receive(acapy, invitationOf(second))
      const { pres_ex_id: id } = await requested(acapy, second)
      await acapy.post(`/present-proof-2.0/records/${id}/problem-report`, { description: 'No, thank you' })
      assert.equal((await agent.proofIn(second, 'abandoned')).connectionId, connection.id)
    },
  ),
  scenario(
    DID_ROTATE,
    'did-rotate',
    'rotates to another DID, and hears from us there without writing first',
    async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      const { result } = await acapy.post('/wallet/did/create', { method: 'did:peer:4' })
      await acapy.post(`/did-rotate/${walletConnectionId}/rotate`, { to_did: result.did })
      await waitFor(
        'the wallet to have our ack',
        async () => (await acapy.heard('did-rotate/1.0/ack', walletConnectionId))[0],
      )
      await waitFor('its answer to our ping', async () => {
        const { theirDid } = await agent.ask(`/connections/${connection.id}`)
        return theirDid !== connection.theirDid
      })
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  ),
  scenario({ ...DID_ROTATE, versions: ['1.7.0'] }, 'did-rotate-hangup', 'hangs up', async (scene) => {
    const { acapy, agent } = scene
    const { connection, walletConnectionId } = await connect(scene)
    await acapy.post(`/did-rotate/${walletConnectionId}/hangup`)
    await arrived(scene, 'did-rotate/1.0/hangup')
    await assert.rejects(agent.send(connection.id, 'Are you there?'))
  }),
]
