/** Credo's connection service, stricter on whose document a request brings, and looser on how wallets answer an invitation's request. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  type DidCommConnectionService,
  type DidCommMessage,
  type DidCommOutOfBandInvitation,
  type DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { ConnectionLookup } from './connection-lookup.ts'
import { mayReuse } from './invitations.ts'
import { assertOfSender } from './legacy-document.ts'

type Arguments<Name extends 'processRequest' | 'matchIncomingMessageToRequestMessageInOutOfBandExchange'> = Parameters<
  DidCommConnectionService[Name]
>

export class ConnectionService extends ConnectionLookup {
  /** connections/1.0 (Aries RFC 0160). Throws a CredoError for a document that is not the sender's. */
  override async processRequest(...[messageContext, outOfBand]: Arguments<'processRequest'>) {
    const { message, senderKey } = messageContext
    const { didDoc } = message.connection
    if (didDoc !== undefined && senderKey !== undefined) assertOfSender(didDoc, senderKey)
    return super.processRequest(messageContext, outOfBand)
  }

  /**
   * Lets a message answer the request of an invitation, which is used up by that. Throws a CredoError for any other message.
   * Credo's requires the parent thread, which not every wallet repeats, and knows no connection but the one that the invitation made.
   */
  override async matchIncomingMessageToRequestMessageInOutOfBandExchange(
    ...[{ agentContext, connection, message }]: Arguments<'matchIncomingMessageToRequestMessageInOutOfBandExchange'>
  ) {
    const outOfBands = agentContext.resolve(DidCommOutOfBandRepository)
    const outOfBand = await outOfBands.findSingleByQuery(agentContext, {
      role: DidCommOutOfBandRole.Sender,
      invitationRequestsThreadIds: [message.threadId],
    })
    if (outOfBand === null || outOfBand.reusable || !(await mayAnswer(agentContext, outOfBand, connection, message)))
      throw new CredoError('the message answers no request of an invitation that is its own')
    if (outOfBand.state === DidCommOutOfBandState.Done) return
    outOfBand.state = DidCommOutOfBandState.Done
    if (connection !== undefined) outOfBand.reuseConnectionId = connection.id
    await outOfBands.update(agentContext, outOfBand)
  }
}

/**
 * Whether a message may answer by a connection, or by none. A used invitation is its connection's; an unused one is for whoever names it on
 * a connection that may be reused (ACA-Py and Credo then send no `handshake-reuse`), or answers without any.
 */
const mayAnswer = async (
  agentContext: AgentContext,
  outOfBand: DidCommOutOfBandRecord,
  connection: DidCommConnectionRecord | undefined,
  { thread, threadId }: DidCommMessage,
): Promise<boolean> => {
  const { id, state, outOfBandInvitation, reuseConnectionId } = outOfBand
  const named = thread?.parentThreadId
  const names = [outOfBandInvitation.id, parentOfRequest(outOfBandInvitation, threadId)]
  if (named !== undefined && !names.includes(named)) return false
  if (connection !== undefined && (connection.outOfBandId === id || connection.id === reuseConnectionId)) return true
  if (state !== DidCommOutOfBandState.AwaitResponse) return false
  return connection === undefined || (named !== undefined && (await mayReuse(agentContext, outOfBand, connection)))
}

/** The parent thread of an attached request: the invitation, unless the caller has named another. */
const parentOfRequest = (invitation: DidCommOutOfBandInvitation, threadId: string): string | undefined =>
  invitation.getRequests()?.find((request) => (request['~thread']?.thid ?? request['@id']) === threadId)?.['~thread']
    ?.pthid
