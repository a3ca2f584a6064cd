/** Invitations of the agent without a request, which the wallet takes (Aries RFC 0434, 0160), and the agent's DIDs, which it asks for a connection. */
import assert from 'node:assert/strict'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { waitFor } from '../../wallet/wait.ts'
import { receive } from '../connect.ts'
import { agentConnectionIn, agentConnectionOf, walletConnectionIdOf } from '../connections.ts'
import { arrived, ping, talkBothWays } from '../messages.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const DID_EXCHANGE = { protocol: 'DID Exchange 1.1', role: 'responder' }
const OUT_OF_BAND = { protocol: 'Out-of-Band 1.1', role: 'sender' }

/** The wallet takes an invitation of ours, and both talk. */
const takenByWallet = async (scene: Scene, body: object, path = '/oob/create-invitation') => {
  const { acapy, agent } = scene
  const invited = await agent.ask(path, body)
  const walletConnectionId = await receive(acapy, invited.invitation)
  await acapy.recordIn(`/connections/${walletConnectionId}`, 'completed')
  const connection = await agentConnectionOf(agent, invited.outOfBandRecord.id, 'completed')
  return { invited, connection, walletConnectionId }
}

const isTaken =
  (body: object): Scenario['play'] =>
  async (scene) => {
    const { connection, walletConnectionId } = await takenByWallet(scene, body)
    await ping(scene.acapy, walletConnectionId)
    await talkBothWays(scene, connection.id, walletConnectionId)
  }

/** Each step needs a call: the wallet's request and our acceptance of it. */
const stepByStep = async (scene: Scene, path: string, body: object, acceptInvitation: string) => {
  const { acapy, agent } = scene
  const invited = await agent.ask(path, { ...body, autoAcceptConnection: false })
  const { connection_id: id } = await acapy.post(acceptInvitation, invited.invitation)
  const walletConnectionId = id ?? (await walletConnectionIdOf(acapy, invited.invitation['@id']))
  const protocol = acceptInvitation.startsWith('/out-of-band') ? 'didexchange' : 'connections'
  if (protocol === 'connections') await acapy.post(`/connections/${walletConnectionId}/accept-invitation`)
  const waiting = await agentConnectionOf(agent, invited.outOfBandRecord.id, 'request-received')
  await agent.ask(`/connections/${waiting.id}/accept-request`, {})
  await acapy.recordIn(`/connections/${walletConnectionId}`, 'completed', 'response-received')
  await ping(acapy, walletConnectionId)
  const connection = await agentConnectionIn(agent, waiting.id, 'completed')
  await assert.rejects(agent.ask(`/connections/${waiting.id}/accept-request`, {}), /answers 409/)
  await talkBothWays(scene, connection.id, walletConnectionId)
}

/** The wallet asks a DID of ours for a connection. */
const asksOurDid = async (scene: Scene, did: string) => {
  const { acapy, agent } = scene
  const query = new URLSearchParams({ their_public_did: did, alias: scene.agent.tenantId ?? '' })
  const { connection_id: walletConnectionId } = await acapy.post(
    `/didexchange/create-request?${query}&auto_accept=true`,
  )
  const waiting = await waitFor('the request to be here', async () => {
    const [connection] = await agent.ask('/connections?state=request-received')
    return connection
  })
  await agent.ask(`/connections/${waiting.id}/accept-request`, {})
  const connection: Json = await agentConnectionIn(agent, waiting.id, 'completed')
  await acapy.recordIn(`/connections/${walletConnectionId}`, 'completed')
  await talkBothWays(scene, connection.id, walletConnectionId)
}

export const OWN_INVITATIONS: Scenario[] = [
  scenario(DID_EXCHANGE, 'inviting', 'takes an invitation without a request', isTaken({})),
  scenario(
    DID_EXCHANGE,
    'inviting-step-by-step',
    'takes an invitation, and waits for us to accept its request',
    (scene) =>
      stepByStep(
        scene,
        '/oob/create-invitation',
        { handshakeProtocols: ['https://didcomm.org/didexchange/1.x'] },
        '/out-of-band/receive-invitation?auto_accept=true',
      ),
  ),
  ...([2, 4] as const).map((numAlgo) =>
    scenario(
      DID_EXCHANGE,
      `inviting-did-peer-${numAlgo}`,
      `takes an invitation by a did:peer:${numAlgo} of ours`,
      async (scene) => {
        const { did } = await scene.agent.ask('/dids/write', { method: 'peer', numAlgo })
        await isTaken({ invitationDid: did })(scene)
      },
    ),
  ),
  scenario(
    { protocol: 'Connections 1.0', role: 'inviter', versions: ['1.2.7'] },
    'inviting-legacy',
    'takes an invitation of that protocol, and waits for us to accept its request',
    (scene) =>
      stepByStep(scene, '/oob/create-legacy-invitation', {}, '/connections/receive-invitation?auto_accept=false'),
  ),
  scenario(
    OUT_OF_BAND,
    'inviting-reuse',
    'reuses its connection for another invitation of the same DID, which carries nothing',
    async (scene) => {
      const { acapy, agent } = scene
      const { invited, connection, walletConnectionId } = await takenByWallet(scene, {})
      const again = await agent.ask('/oob/create-invitation', { invitationDid: invited.invitationDid })
      assert.equal(await receive(acapy, again.invitation), walletConnectionId)
      await waitFor(
        'our acceptance',
        async () => (await acapy.heard('handshake-reuse-accepted', walletConnectionId))[0],
      )
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  ),
  scenario(OUT_OF_BAND, 'inviting-many', 'takes an invitation for many, as another wallet does', async (scene) => {
    const { invited, connection, walletConnectionId } = await takenByWallet(scene, { multiUseInvitation: true })
    await receive(await scene.anotherWallet(), invited.invitation)
    await waitFor('both connections to be completed', async () => {
      const connections = await scene.agent.ask(`/connections?outOfBandId=${invited.outOfBandRecord.id}`)
      return connections.length === 2 && connections.every(({ state }: Json) => state === 'completed')
    })
    await talkBothWays(scene, connection.id, walletConnectionId)
  }),
  ...([2, 4] as const).map((numAlgo) =>
    scenario(
      DID_EXCHANGE,
      `implicit-to-did-peer-${numAlgo}`,
      `asks a did:peer:${numAlgo} of ours for a connection, which we accept by a call`,
      async (scene) => {
        const { did } = await scene.agent.ask('/dids/write', { method: 'peer', numAlgo })
        await asksOurDid(scene, did)
      },
    ),
  ),
  scenario({ protocol: 'Trust Ping 1.0', role: 'sender' }, 'ping-of-ours', 'is pinged, and answers', async (scene) => {
    const { acapy, agent } = scene
    const { connection, walletConnectionId } = await takenByWallet(scene, {})
    await agent.ask(`/connections/${connection.id}/send-ping`, { comment: 'Are you there?' })
    await waitFor('our ping to be there', async () =>
      (await acapy.heard('trust_ping/1.0/ping', walletConnectionId)).some(
        ({ comment }: Json) => comment === 'Are you there?',
      ),
    )
    await arrived(scene, 'trust_ping/1.0/ping_response')
  }),
  scenario(
    { protocol: 'DID Rotate 1.0', role: 'rotating' },
    'hangup-of-ours',
    'hears that we hang up, and deletes its connection',
    async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await takenByWallet(scene, {})
      // Either completes the connection; what came after our hang-up could not be opened any more.
      await arrived(scene, 'didexchange/1.1/complete')
      await arrived(scene, 'trust_ping/1.0/ping')
      await agent.delete(`/connections/${connection.id}`)
      await waitFor('the wallet to have deleted its connection', async () => {
        const { results } = await acapy.get('/connections')
        return results.every(({ connection_id: id }: Json) => id !== walletConnectionId)
      })
      await assert.rejects(agent.ask(`/connections/${connection.id}`), /answers 404/)
    },
  ),
]
