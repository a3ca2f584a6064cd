/** The wallet invites, and the agent takes the invitation: the other way round of `connect`. */
import type { Json } from '../support/stage/in-process-stage.ts'
import type { AcaPy } from './acapy.ts'
import type { Connected } from './connect.ts'
import { agentConnectionIn, walletConnectionOf } from './connections.ts'
import type { Scene } from './scenario.ts'

const DID_EXCHANGE = 'https://didcomm.org/didexchange/1.1'

export interface Invited {
  /** The message that another agent takes (Aries RFC 0434). */
  invitation: Json
  invitationUrl: string
}

/** Creates an invitation of the wallet, which accepts automatically by default. `body` has further fields of ACA-Py's. */
export const invite = async (acapy: AcaPy, body: object = {}, query = 'auto_accept=true'): Promise<Invited> => {
  const asked = { handshake_protocols: [DID_EXCHANGE], ...body }
  const answer = await acapy.post(`/out-of-band/create-invitation?${query}`, asked)
  return { invitation: answer.invitation, invitationUrl: answer.invitation_url }
}

/** The agent takes an invitation of the wallet. Answer of ReceiveInvitation. */
export const take = ({ agent }: Scene, { invitation }: Invited, further: object = {}): Promise<Json> =>
  agent.ask('/oob/receive-invitation', { invitation, ...further })

export interface Taken extends Omit<Connected, 'request'> {
  /** Answer of ReceiveInvitation. */
  received: Json
  invited: Invited
}

/** Both sides' connections when they are completed. */
export const takenBy = async ({ acapy, agent }: Scene, invited: Invited, received: Json): Promise<Taken> => {
  const connection = await agentConnectionIn(agent, received.connectionRecord.id, 'completed')
  const { connection_id: walletConnectionId } = await walletConnectionOf(acapy, invited.invitation['@id'], 'completed')
  return { received, invited, connection, walletConnectionId }
}

/** Connects by an invitation of the wallet. */
export const connectAsInvitee = async (scene: Scene, body: object = {}, further: object = {}): Promise<Taken> => {
  const invited = await invite(scene.acapy, body)
  return takenBy(scene, invited, await take(scene, invited, further))
}
