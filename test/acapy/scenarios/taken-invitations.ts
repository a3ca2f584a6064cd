/** Invitations of the wallet, which the agent takes (Aries RFC 0434), and its public DID, which the agent asks for a connection. */
import assert from 'node:assert/strict'
import { waitFor } from '../../wallet/wait.ts'
import { agentConnectionIn, walletConnectionOf } from '../connections.ts'
import { connectAsInvitee, invite, take, takenBy } from '../inviter.ts'
import { ping, talkBothWays } from '../messages.ts'
import type { Scenario, Scene } from '../scenario.ts'

const BOTH = ['1.7.0', '1.2.7'] as const
const PROTOCOL = 'DID Exchange 1.1'
const ROLE = 'requester'
const CONNECTIONS = 'https://didcomm.org/connections/1.0'

/** The agent takes an invitation with these fields, and both sides talk. */
const takes =
  (body: object = {}, further: object = {}): Scenario['play'] =>
  async (scene) => {
    const { connection, walletConnectionId } = await connectAsInvitee(scene, body, further)
    await ping(scene.acapy, walletConnectionId)
    if (scene.agent.tenantId !== undefined) await talkBothWays(scene, connection.id, walletConnectionId)
  }

/** Each step is taken by a call: the wallet's acceptance, and ours of the invitation and of the response. */
const stepByStep = async (scene: Scene, handshake: 'didexchange' | 'connections') => {
  const { acapy, agent } = scene
  const body = handshake === 'connections' ? { handshake_protocols: [CONNECTIONS] } : {}
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
  {
    name: 'invited',
    title: 'invites; we connect',
    protocol: PROTOCOL,
    role: ROLE,
    versions: BOTH,
    play: takes(),
  },
  {
    name: 'invited-base-agent',
    title: 'invites the base agent, which connects',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.7.0'],
    agent: 'base',
    play: takes(),
  },
  ...(['did:peer:2', 'did:peer:4'] as const).map(
    (method): Scenario => ({
      name: `invited-${method.replaceAll(':', '-')}`,
      title: `invites by a ${method}; we connect`,
      protocol: PROTOCOL,
      role: ROLE,
      versions: BOTH,
      play: takes({ use_did_method: method }),
    }),
  ),
  {
    name: 'invited-1-0',
    title: 'invites to the first version; we connect',
    protocol: 'DID Exchange 1.0',
    role: ROLE,
    versions: BOTH,
    play: takes({ handshake_protocols: ['https://didcomm.org/didexchange/1.0'] }),
  },
  {
    name: 'invited-old-prefix',
    title: 'writes its protocol with the prefix of before; we connect',
    protocol: 'DID Exchange 1.0',
    role: ROLE,
    versions: BOTH,
    play: takes({ handshake_protocols: ['did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/didexchange/1.0'] }),
  },
  {
    name: 'invited-connections',
    title: 'invites; we connect',
    protocol: 'Connections 1.0',
    role: 'invitee',
    versions: ['1.2.7'],
    play: takes({ handshake_protocols: [CONNECTIONS] }),
  },
  {
    name: 'invited-own-did',
    title: 'invites; we connect by a did:peer:4 that we have made',
    protocol: PROTOCOL,
    role: ROLE,
    versions: BOTH,
    play: async (scene) => {
      const { did } = await scene.agent.ask('/dids/write', { method: 'peer', numAlgo: 4 })
      const { connection, walletConnectionId } = await connectAsInvitee(scene, {}, { ourDid: did })
      assert.equal(connection.did, did)
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'invited-step-by-step',
    title: 'invites; each side accepts each step by a call',
    protocol: PROTOCOL,
    role: ROLE,
    versions: BOTH,
    play: (scene) => stepByStep(scene, 'didexchange'),
  },
  {
    name: 'invited-connections-step-by-step',
    title: 'invites; each side accepts each step by a call',
    protocol: 'Connections 1.0',
    role: 'invitee',
    versions: ['1.2.7'],
    play: (scene) => stepByStep(scene, 'connections'),
  },
  {
    name: 'invited-legacy',
    title: 'invites by a message of that protocol; we connect',
    protocol: 'Connections 1.0',
    role: 'invitee',
    versions: ['1.2.7'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const { invitation_url: invitationUrl, connection_id: walletConnectionId } = await acapy.post(
        '/connections/create-invitation?auto_accept=true',
      )
      const { connectionRecord } = await agent.ask('/oob/receive-invitation-url', { invitationUrl })
      const connection = await agentConnectionIn(agent, connectionRecord.id, 'completed')
      await acapy.recordIn(`/connections/${walletConnectionId}`, 'completed')
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'invited-url',
    title: 'invites by an address; we connect',
    protocol: 'Out-of-Band 1.1',
    role: 'receiver',
    versions: BOTH,
    play: async (scene) => {
      const invited = await invite(scene.acapy)
      const { invitationUrl } = invited
      const received = await scene.agent.ask('/oob/receive-invitation-url', { invitationUrl })
      const { connection, walletConnectionId } = await takenBy(scene, invited, received)
      await talkBothWays(scene, connection.id, walletConnectionId)
    },
  },
  {
    name: 'invited-multi-use',
    title: 'invites many; we connect',
    protocol: 'Out-of-Band 1.1',
    role: 'receiver',
    versions: BOTH,
    play: async (scene) => {
      const invited = await invite(scene.acapy, {}, 'auto_accept=true&multi_use=true')
      const { connectionRecord } = await take(scene, invited)
      await agentConnectionIn(scene.agent, connectionRecord.id, 'completed')
      await scene.agent.send(connectionRecord.id, 'Hello, wallet')
      await waitFor('our message to be at the wallet', async () =>
        (await scene.acapy.heard('basicmessage/1.0/message')).some(({ content }) => content === 'Hello, wallet'),
      )
    },
  },
  {
    name: 'invited-again',
    title: 'invites by the same did:peer:4 again; we reuse the connection',
    protocol: 'Out-of-Band 1.1',
    role: 'receiver',
    versions: BOTH,
    play: async (scene) => {
      const { result } = await scene.acapy.post('/wallet/did/create', { method: 'did:peer:4' })
      await reuses(scene, { use_did: result.did })
    },
  },
  {
    name: 'invited-reuse',
    title: 'invites by its public DID, twice; we reuse the connection',
    protocol: 'Out-of-Band 1.1',
    role: 'receiver',
    versions: BOTH,
    wallet: 'public',
    play: (scene) => reuses(scene, { use_public_did: true }),
  },
  {
    name: 'invited-public',
    title: 'invites by its public DID; we connect',
    protocol: PROTOCOL,
    role: ROLE,
    versions: BOTH,
    wallet: 'public',
    play: takes({ use_public_did: true }),
  },
  {
    name: 'implicit-to-wallet',
    title: 'is asked for a connection by its public DID, and accepts',
    protocol: PROTOCOL,
    role: ROLE,
    versions: BOTH,
    wallet: 'public',
    play: async (scene) => {
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
  },
]
