/** Single-use invitations that carry a request or an offer (Aries RFC 0434, "requests~attach"). */
import { randomUUID } from 'node:crypto'
import type { DidCommMessage } from '@credo-ts/didcomm'
import { invalidField } from '../../errors.ts'
import { defined } from '../../json.ts'
import type { TenantAgent } from '../credo/index.ts'
import { setNextInvitationId } from './invitations.ts'
import {
  type InvitationOptions,
  type InvitationResponse,
  invitationDidOf,
  labelAndImage,
  routingOf,
  toInvitationResponse,
} from './inviter.ts'

/**
 * Creates a message with `carry`, and the invitation that carries it, in the running unit of work. The invitation is
 * the parent thread of its attachments (RFC 0434). Throws `resource.not_found` (tenant), and `request.invalid` for a
 * DID or key that is not this agent's.
 */
export const inviteWith = async <T extends { message: DidCommMessage }>(
  agent: TenantAgent,
  options: InvitationOptions,
  carry: (parentThreadId: string) => Promise<T>,
): Promise<{ carried: T; response: InvitationResponse }> => {
  const shown = await labelAndImage(options)
  const service = await serviceOf(agent, options)
  const invitationId = randomUUID()
  const carried = await carry(options.parentThreadId ?? invitationId)
  setNextInvitationId(invitationId)
  const record = await agent.didcomm.oob.createInvitation({
    ...shown,
    ...defined({ goalCode: options.goalCode }),
    ...service,
    messages: [carried.message],
    handshake: options.handshake,
    multiUseInvitation: false,
    autoAcceptConnection: true,
  })
  return { carried, response: await toInvitationResponse(agent, record) }
}

/**
 * A DID; without a handshake a key in the invitation, because other agents cannot tell which key of a DID an answer
 * comes from.
 */
const serviceOf = async (agent: TenantAgent, options: InvitationOptions) => {
  const { handshake, invitationDid, recipientKey } = options
  if (handshake) return { invitationDid: await invitationDidOf(agent, options) }
  if (invitationDid !== undefined)
    throw invalidField(
      'invitationDid',
      'must be absent without a handshake: the service of such an invitation is a key',
    )
  return recipientKey === undefined ? {} : { routing: await routingOf(agent, recipientKey) }
}
