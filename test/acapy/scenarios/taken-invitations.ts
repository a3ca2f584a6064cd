/** Invitations of the wallet, which the agent takes (Aries RFC 0434), and its public DID, which the agent asks for a connection. */
import assert from 'node:assert/strict'
import { waitFor } from '../../wallet/wait.ts'
import { agentConnectionIn, walletConnectionOf } from '../connections.ts'
import { connectAsInvitee, invite, take, takenBy } from '../inviter.ts'
import { ping, talkBothWays } from '../messages.ts'
import { type Scenario, type Scene, scenario } from '../scenario.ts'

const DID_EXCHANGE = { protocol: 'DID Exchange 1.1', role: 'requester' }
const OLDER_DID_EXCHANGE = { protocol: 'DID Exchange 1.0', role: 'requester' }
const CONNECTIONS = { protocol: 'Connections 1.0', role: 'invitee', versions: ['1.2.7'] } as const
const OUT_OF_BAND = { protocol: 'Out-of-Band 1.1', role: 'receiver' }
const CONNECTIONS_URI = 'https://didcomm.org/connections/1.0'

/** The agent takes an invitation with these fields, and both sides talk. */
const takes =
  (body: object = {}, further: object = {}): Scenario['play'] =>
  async (scene) => {
    const { connection, walletConnectionId } = await connectAsInvitee(scene, body, further)
    await ping(scene.acapy, walletConnectionId)
    if (scene.agent.tenantId !== undefined) await talkBothWays(scene, connection.id, walletConnectionId)
  }

/** Each step needs a call: the wallet's acceptance, and ours of the invitation and of the response. */
const stepByStep = async (scene: Scene, handshake: 'didexchange' | 'connections') => {
  const { acapy, agent } = scene
  const body = handshake === 'connections' ? { handshake_protocols: [CONNECTIONS_URI] } : {}
  const invited = await invite(acapy, body, 'auto_accept=false')
  const byHand = { autoAcceptInvitation: false, autoAcceptConnection: false }
  const { outOfBandRecord, connectionRecord } = await take(scene, invited, byHand)
  assert.equal(connectionRecord, undefined)
  const accepted = await agent.ask(`/oob/${outOfBandRecord.id}/accept-invitation`, { autoAcceptConnection: false })
  const theirs = await walletConnectionOf(acapy, invited.invitation['@id'], 'request-received')
  await acapy.post(`/${handshake}/${theirs.connection_id}/accept-request`)
  await agentConnectionIn(agent, accepted.connectionRecord.id, 'response-received')
  await agent.ask(`/connections/${accepted.connectionRecord.id}/accept-response`, {})
  // There the wallet calls the connection complete with the first message on it (Aries RFC 0160).
  if (handshake === 'connections') await agent.ask(`/connections/${accepted.connectionRecord.id}/send-ping`, {})
  const { connection, walletConnectionId } = await takenBy(scene, invited, accepted)
  await talkBothWays(scene, connection.id, walletConnectionId)
}

/** The agent takes a second invitation of the same DID, without another handshake. */
const reuses = async (scene: Scene, body: object): Promise<void> => {
  const { acapy, agent } = scene
  const first = await connectAsInvitee(scene, body)
  const again = await invite(acapy, body)
  const { outOfBandRecord, connectionRecord } = await take(scene, again, { reuseConnection: true })
  assert.equal(connectionRecord?.id, first.connection.id)
  await waitFor('the reuse to be accepted', async () => {
    const { state } = await agent.ask(`/oob/${outOfBandRecord.id}`)
    return state === 'done'
  })
  await talkBothWays(scene, first.connection.id, first.walletConnectionId)
}

export const TAKEN_INVITATIONS: Scenario[] = [
  scenario(DID_EXCHANGE, 'invited', 'invites; we connect', takes()),
  scenario(
    { ...DID_EXCHANGE, versions: ['1.7.0'], agent: 'base' },
    'invited-base-agent',
    'invites the base agent, which connects',
    takes(),
  ),
  ...(['did:peer:2', 'did:peer:4'] as const).map((method) =>
    scenario(
      DID_EXCHANGE,
      `invited-${method.replaceAll(':', '-')}`,
      `invites by a ${method}; we connect`,
      takes({ use_did_method: method }),
    ),
  ),
  scenario(
    OLDER_DID_EXCHANGE,
    'invited-1-0',
    'invites to the first version; we connect',
    takes({ handshake_protocols: ['https://didcomm.org/didexchange/1.0'] }),
  ),
  scenario(
    OLDER_DID_EXCHANGE,
    'invited-old-prefix',
    'writes its protocol with the prefix of before; we connect',
    takes({ handshake_protocols: ['did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/didexchange/1.0'] }),
  ),
  scenario(
    CONNECTIONS,
    'invited-connections',
    'invites; we connect',
    takes({ handshake_protocols: [CONNECTIONS_URI] }),
  ),
  scenario(DID_EXCHANGE, 'invited-own-did', 'invites; we connect by a did:peer:4 that we have made', async (scene) => {
    const { did } = await scene.agent.ask('/dids/write', { method: 'peer', numAlgo: 4 })
    const { connection, walletConnectionId } = await connectAsInvitee(scene, {}, { ourDid: did })
    assert.equal(connection.did, did)
    await talkBothWays(scene, connection.id, walletConnectionId)
  }),
  scenario(DID_EXCHANGE, 'invited-step-by-step', 'invites; each side accepts each step by a call', (scene) =>
    stepByStep(scene, 'didexchange'),
  ),
  scenario(CONNECTIONS, 'invited-connections-step-by-step', 'invites; each side accepts each step by a call', (scene) =>
    stepByStep(scene, 'connections'),
  ),
  scenario(CONNECTIONS, 'invited-legacy', 'invites by a message of that protocol; we connect', async (scene) => {
    const { acapy, agent } = scene
    const { invitation_url: invitationUrl, connection_id: walletConnectionId } = await acapy.post(
      '/connections/create-invitation?auto_accept=true',
    )
    const { connectionRecord } = await agent.ask('/oob/receive-invitation-url', { invitationUrl })
    const connection = await agentConnectionIn(agent, connectionRecord.id, 'completed')
    await acapy.recordIn(`/connections/${walletConnectionId}`, 'completed')
    await talkBothWays(scene, connection.id, walletConnectionId)
  }),
  scenario(OUT_OF_BAND, 'invited-url', 'invites by an address; we connect', async (scene) => {
    const invited = await invite(scene.acapy)
    const { invitationUrl } = invited
    const received = await scene.agent.ask('/oob/receive-invitation-url', { invitationUrl })
    const { connection, walletConnectionId } = await takenBy(scene, invited, received)
    await talkBothWays(scene, connection.id, walletConnectionId)
  }),
  scenario(OUT_OF_BAND, 'invited-multi-use', 'invites many; we connect', async (scene) => {
    const invited = await invite(scene.acapy, {}, 'auto_accept=true&multi_use=true')
    const { connectionRecord } = await take(scene, invited)
    await agentConnectionIn(scene.agent, connectionRecord.id, 'completed')
    await scene.agent.send(connectionRecord.id, 'Hello, wallet')
    await waitFor('our message to be at the wallet', async () =>
      (await scene.acapy.heard('basicmessage/1.0/message')).some(({ content }) => content === 'Hello, wallet'),
    )
  }),
  scenario(
    OUT_OF_BAND,
    'invited-again',
    'invites by the same did:peer:4 again; we reuse the connection',
    async (scene) => {
      const { result } = await scene.acapy.post('/wallet/did/create', { method: 'did:peer:4' })
      await reuses(scene, { use_did: result.did })
    },
  ),
  scenario(
    { ...OUT_OF_BAND, wallet: 'public' },
    'invited-reuse',
    'invites by its public DID, twice; we reuse the connection',
    (scene) => reuses(scene, { use_public_did: true }),
  ),
  scenario(
    { ...DID_EXCHANGE, wallet: 'public' },
    'invited-public',
    'invites by its public DID; we connect',
    takes({ use_public_did: true }),
  ),
  scenario(
    { ...DID_EXCHANGE, wallet: 'public' },
    'implicit-to-wallet',
    'is asked for a connection by its public DID, and accepts',
    async (scene) => {
      const { acapy, agent } = scene
      const { result } = await acapy.get('/wallet/did/public')
      const { connectionRecord } = await agent.ask('/oob/receive-implicit-invitation', { did: result.did })
      const theirs = await waitFor('the wallet to have our request', async () => {
        const { results } = await acapy.get('/connections?state=request')
        return results.find(({ their_label: label }: { their_label: string }) => label === 'implicit-to-wallet')
      })
      await acapy.post(`/didexchange/${theirs.connection_id}/accept-request`)
      const connection = await agentConnectionIn(agent, connectionRecord.id, 'completed')
      await acapy.recordIn(`/connections/${theirs.connection_id}`, 'completed')
      await talkBothWays(scene, connection.id, theirs.connection_id)
    },
  ),
]
