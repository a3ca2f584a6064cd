/** Invitations of this agent (Aries RFC 0434): how they are found, who has taken one, and who may. */
import type { AgentContext, Query } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  type DidCommInboundMessageContext,
  type DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandService,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'

export type Invitation = DidCommOutOfBandRecord

const find = (agentContext: AgentContext, query: Query<Invitation>): Promise<Invitation[]> =>
  agentContext
    .resolve(DidCommOutOfBandRepository)
    .findByQuery(agentContext, { ...query, role: DidCommOutOfBandRole.Sender })

/** The invitation with this `@id`. */
export const findInvitation = async (
  agentContext: AgentContext,
  invitationId: string,
): Promise<Invitation | undefined> => (await find(agentContext, { invitationId }))[0]

/** The invitation that carries the request with this thread. */
export const findInvitationOfRequest = async (
  agentContext: AgentContext,
  threadId: string,
): Promise<Invitation | undefined> => (await find(agentContext, { invitationRequestsThreadIds: [threadId] }))[0]

/** The invitations that name a key. */
export const findInvitationsOfKey = (agentContext: AgentContext, fingerprint: string): Promise<Invitation[]> =>
  find(agentContext, { recipientKeyFingerprints: [fingerprint] })

const keysOf = (invitation: Invitation): string[] => invitation.getTags().recipientKeyFingerprints

/** The connection came of the invitation, or the invitation was taken for it by handshake reuse. */
export const isTakenBy = (invitation: Invitation, connection: DidCommConnectionRecord): boolean =>
  connection.outOfBandId === invitation.id || invitation.reuseConnectionId === connection.id

/** Whether a message was sent to a key that the invitation names. */
export const isAddressedTo = (invitation: Invitation, { recipientKey }: DidCommInboundMessageContext): boolean =>
  recipientKey !== undefined && keysOf(invitation).includes(recipientKey.fingerprint)

export const isUnused = ({ state }: Invitation): boolean => state === DidCommOutOfBandState.AwaitResponse

/** Takes an invitation, for a connection or without any. */
export const useUp = async (
  agentContext: AgentContext,
  invitation: Invitation,
  connection?: DidCommConnectionRecord,
): Promise<void> => {
  if (connection !== undefined) invitation.reuseConnectionId = connection.id
  await agentContext.resolve(DidCommOutOfBandService).updateState(agentContext, invitation, DidCommOutOfBandState.Done)
}

/**
 * Whether a connection may be used again for an invitation: it came of one to the same agent key. Aries RFC 0434, "Reuse
 * Messages": the invitee knows the inviter by the DID in the invitation.
 */
export const mayReuse = async (
  agentContext: AgentContext,
  invitation: Invitation,
  { outOfBandId }: DidCommConnectionRecord,
): Promise<boolean> => {
  if (outOfBandId === undefined) return false
  const first = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  return first !== null && keysOf(first).some((key) => keysOf(invitation).includes(key))
}
