/** Invitations of ACA-Py (Aries RFC 0434) that our agent takes: by a handshake, by an older connection, with a request. */
import assert from 'node:assert/strict'
import { degreeDefinition } from '../../support/scenes.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { waitFor } from '../../wallet/wait.ts'
import type { AcaPy } from '../acapy.ts'
import { talkBothWays } from '../messages.ts'
import type { Scenario, Scene } from '../scenario.ts'

const PROTOCOL = 'Out-of-Band 1.1'
const ROLE = 'receiver'

const invite = async (acapy: AcaPy, protocol: string | undefined, more: object = {}): Promise<Json> => {
  const handshakes = protocol === undefined ? {} : { handshake_protocols: [`https://didcomm.org/${protocol}`] }
  const { invitation } = await acapy.post('/out-of-band/create-invitation?auto_accept=true', { ...handshakes, ...more })
  return invitation
}

/** Our connection that came of an invitation, when both sides call it completed, with the wallet's id of it. */
const completed = async ({ acapy, agent }: Scene, invitation: Json, received: Json) => {
  const connection = await agent.completed(received)
  const walletConnectionId = await waitFor('the connection of the wallet to be completed', async () => {
    const { results } = await acapy.get(`/connections?invitation_msg_id=${invitation['@id']}`)
    return results.find(({ rfc23_state }: Json) => rfc23_state === 'completed')?.connection_id
  })
  return { connection, walletConnectionId }
}

const connectBy =
  (protocol: string, more: object = {}): Scenario['play'] =>
  async (scene) => {
    const invitation = await invite(scene.acapy, protocol, more)
    const received = await scene.agent.ask('/oob/receive-invitation', { invitation })
    const { connection, walletConnectionId } = await completed(scene, invitation, received)
    await talkBothWays(scene, connection.id, walletConnectionId)
  }

/** A proof request of ACA-Py, in an invitation. */
const inviteWithRequest = async (acapy: AcaPy, protocol: string | undefined): Promise<Json> => {
  const exchange = await acapy.post('/present-proof-2.0/create-request', {
    presentation_request: { dif: { presentation_definition: degreeDefinition } },
  })
  return invite(acapy, protocol, { attachments: [{ id: exchange.pres_ex_id, type: 'present-proof' }] })
}

export const INVITATIONS: Scenario[] = [
  {
    name: 'invited-did-exchange',
    title: 'connects by an invitation of ACA-Py',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: connectBy('didexchange/1.1'),
  },
  {
    name: 'invited-by-peer-4',
    title: 'connects by an invitation that names a did:peer:4',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: connectBy('didexchange/1.1', { use_did_method: 'did:peer:4' }),
  },
  {
    name: 'invited-connections',
    title: 'connects by an invitation of ACA-Py to Connections 1.0',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.2.7'],
    play: connectBy('connections/1.0'),
  },
  {
    name: 'invited-again',
    title: 'uses the connection again for another invitation by the same DID',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    wallet: 'own',
    play: async (scene) => {
      const { acapy, agent } = scene
      const first = await invite(acapy, 'didexchange/1.1', { use_did_method: 'did:peer:4' })
      const received = await agent.ask('/oob/receive-invitation', { invitation: first })
      const { connection } = await completed(scene, first, received)
      const [did] = first.services
      const next = await invite(acapy, 'didexchange/1.1', { use_did: did })
      const again = await agent.ask('/oob/receive-invitation', { invitation: next, reuseConnection: true })
      assert.equal(again.connectionRecord.id, connection.id)
      await waitFor('the invitation to be done', async () => {
        const record = await agent.ask(`/oob/${again.outOfBandRecord.id}`)
        return record.state === 'done'
      })
    },
  },
  {
    name: 'invited-with-request',
    title: 'gets the proof request of an invitation when the handshake is completed',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: async (scene) => {
      const { acapy, agent } = scene
      const invitation = await inviteWithRequest(acapy, 'didexchange/1.1')
      const received = await agent.ask('/oob/receive-invitation', { invitation })
      const { connection } = await completed(scene, invitation, received)
      await waitFor('the proof request', async () => {
        const [proof] = await agent.ask(`/proofs?connectionId=${connection.id}`)
        return proof?.state === 'request-received'
      })
    },
  },
  {
    name: 'invited-without-connection',
    title: 'gets the proof request of an invitation without a handshake',
    protocol: PROTOCOL,
    role: ROLE,
    versions: ['1.7.0', '1.2.7'],
    play: async ({ acapy, agent }) => {
      const invitation = await inviteWithRequest(acapy, undefined)
      const received = await agent.ask('/oob/receive-invitation', { invitation })
      assert.equal(received.connectionRecord, undefined)
      assert.equal(received.outOfBandRecord.state, 'done')
      const proofs = await agent.ask('/proofs')
      assert.equal(proofs.length, 1)
    },
  },
]
