/** Creates invitations to connect (Aries RFC 0434, and 0160 for older agents). */
import { type DidCommHandshakeProtocol, DidCommRoutingService } from '@credo-ts/didcomm'
import type * as v from 'valibot'
import type { CreateInvitation, CreateLegacyInvitation } from '../../interface/out-of-band.ts'
import { defined } from '../../json.ts'
import { currentAgent, type TenantAgent } from '../credo/index.ts'
import { type InvitationResponse, invitationDidOf, labelAndImage, routingOf, toInvitationResponse } from './inviter.ts'

type Inviter = v.InferOutput<typeof CreateLegacyInvitation.body>

/** Members of both kinds of invitation. Throws `resource.not_found` (tenant). */
const toConfig = async ({ alias, multiUseInvitation, autoAcceptConnection, ...inviter }: Inviter) => ({
  ...(await labelAndImage(inviter)),
  ...defined({ alias }),
  multiUseInvitation,
  autoAcceptConnection,
})

/**
 * Creates an invitation in the running unit of work. Throws `resource.not_found` (tenant), and `request.invalid` for a
 * DID or key that is not this agent's.
 */
export const inviteToConnect = async (
  invitation: v.InferOutput<typeof CreateInvitation.body>,
): Promise<InvitationResponse> => {
  const agent = await currentAgent()
  const { goal, goalCode, handshakeProtocols } = invitation
  const record = await agent.didcomm.oob.createInvitation({
    ...(await toConfig(invitation)),
    ...defined({ goal, goalCode, handshakeProtocols: handshakeProtocols as DidCommHandshakeProtocol[] | undefined }),
    invitationDid: await invitationDidOf(agent, invitation),
  })
  return toInvitationResponse(agent, record)
}

/**
 * Creates an invitation with a new key, or with a key of this agent, in the running unit of work. Throws
 * `resource.not_found` (tenant), and `request.invalid` for a key that is not this agent's.
 */
export const inviteByKey = async (invitation: Inviter): Promise<InvitationResponse & { recipientKey?: string }> => {
  const agent = await currentAgent()
  const { recipientKey } = invitation
  const routing = await (recipientKey === undefined ? freshRouting(agent) : routingOf(agent, recipientKey))
  const { outOfBandRecord, invitation: message } = await agent.didcomm.oob.createLegacyInvitation({
    ...(await toConfig(invitation)),
    routing,
  })
  const response = await toInvitationResponse(agent, outOfBandRecord, message)
  return recipientKey === undefined ? { ...response, recipientKey: routing.recipientKey.legacyKeyId } : response
}

const freshRouting = ({ context }: TenantAgent) => context.resolve(DidCommRoutingService).getRouting(context)
