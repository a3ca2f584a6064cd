/** Decides who owns a thread: its connection, or the agent with the invitation that started it. */
import { TypedArrayEncoder } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommHandshakeReuseMessage,
  type DidCommInboundMessageContext,
  DidCommMessageRepository,
  parseMessageType,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { withOurKey } from '../connections/index.ts'
import { didsWithKey } from '../dids/index.ts'
import {
  findInvitation,
  findInvitationOfRequest,
  type Invitation,
  isAcceptedBy,
  isAddressedTo,
  isOfInviter,
  isUnused,
  markUsed,
  mayReuse,
} from '../invitations/index.ts'
import { findQuestions } from '../messages/index.ts'
import { EXCHANGE_PROTOCOLS, type Exchange, findExchanges, isProblemReport, updateExchange } from '../threads/index.ts'

type Inbound = DidCommInboundMessageContext

/** The members of a credential request that are read. Keys are in base58. */
const CredentialRequest = v.looseObject({
  '~service': v.fallback(v.optional(v.looseObject({ recipientKeys: v.array(v.string()) })), undefined),
})

/** Messages that may respond to the request of an unused invitation, beside problem reports. */
const RESPONSES = new Set(['presentation', 'request-credential'])

/**
 * Whether the sender of a message is a party of an exchange. The exchange of an invitation belongs, from its first
 * message on, to the connection that has accepted the invitation.
 */
export const joinExchange = async (inbound: Inbound, exchange: Exchange): Promise<boolean> => {
  const { agentContext, connection, message } = inbound
  const parent = message.thread?.parentThreadId ?? exchange.parentThreadId
  if (exchange.connectionId !== undefined) {
    if (exchange.connectionId !== connection?.id) return false
    return parent === undefined || parent === exchange.parentThreadId || !(await isThirdPartyThread(inbound, parent))
  }
  const invitation = await findInvitationOfRequest(agentContext, exchange.threadId)
  // A request from an invitation continues with the inviter, whose messages Credo checks against the key in our reply.
  if (invitation === undefined) return connection === undefined && isOfInviter(inbound, exchange.threadId)
  const { id } = invitation.outOfBandInvitation
  // Problem reports may name the request as their parent.
  if (![id, exchange.parentThreadId, exchange.threadId].includes(parent)) return false
  if (connection === undefined) {
    if (!(await mayRespond(inbound, invitation)) && !(await mayEnd(inbound, exchange))) return false
    // Credo requires a parent thread, which ACA-Py does not send.
    message.setThread({ threadId: exchange.threadId, parentThreadId: id })
    return true
  }
  if (!isAcceptedBy(invitation, connection)) {
    if (!(await mayRespondByReuse(inbound, invitation, connection))) return false
    await markUsed(agentContext, invitation, connection)
  }
  exchange.connectionId = connection.id
  await updateExchange(agentContext, exchange)
  return true
}

const isResponse = ({ message: { type } }: Inbound, invitation: Invitation): boolean =>
  isUnused(invitation) && (isProblemReport(type) || RESPONSES.has(parseMessageType(type).messageName))

/**
 * Whether a connectionless sender may respond: the invitation is unused, and the message was sent to its key by a new
 * key.
 */
const mayRespond = async (inbound: Inbound, invitation: Invitation): Promise<boolean> => {
  const { agentContext, senderKey } = inbound
  if (senderKey === undefined || !isResponse(inbound, invitation) || !isAddressedTo(invitation, inbound)) return false
  return (await didsWithKey(agentContext, senderKey)).length === 0
}

/**
 * Whether a connectionless sender may end the exchange: it requested the credential, by the reply key in the request
 * (`~service`, Aries RFC 0056).
 */
const mayEnd = async ({ agentContext, message, senderKey }: Inbound, { id }: Exchange): Promise<boolean> => {
  const isEnd = parseMessageType(message.type).messageName === 'ack' || isProblemReport(message.type)
  if (senderKey === undefined || !isEnd) return false
  const query = { associatedRecordId: id, messageName: 'request-credential' }
  const request = await agentContext.resolve(DidCommMessageRepository).findSingleByQuery(agentContext, query)
  const { '~service': service } = v.parse(CredentialRequest, request?.message ?? {})
  return service?.recipientKeys.includes(TypedArrayEncoder.toBase58(senderKey.publicKey.publicKey)) ?? false
}

/**
 * Whether an existing connection may respond without `handshake-reuse`, as Credo's wallets do: the message must name
 * the invitation, unless it declines the request. ACA-Py's problem reports name only the request, whose id is known
 * only to agents with the invitation.
 */
const mayRespondByReuse = async (
  inbound: Inbound,
  invitation: Invitation,
  connection: DidCommConnectionRecord,
): Promise<boolean> =>
  (inbound.message.thread?.parentThreadId !== undefined || isProblemReport(inbound.message.type)) &&
  isResponse(inbound, invitation) &&
  (await mayReuse(inbound.agentContext, invitation, connection))

/** Whether an id is the thread of another party's invitation, exchange, question or handshake. An unknown id is not. */
export const isThirdPartyThread = async (inbound: Inbound, threadId: string): Promise<boolean> => {
  const { agentContext, connection } = inbound
  const invitation = await findInvitation(agentContext, threadId)
  if (invitation !== undefined) return !(await isOwnInvitation(inbound, invitation))
  for (const protocol of EXCHANGE_PROTOCOLS) {
    const exchanges = await findExchanges(agentContext, protocol, threadId)
    if (exchanges.length > 0)
      return exchanges.some(({ connectionId }) => connectionId === undefined || connectionId !== connection?.id)
  }
  const questions = await findQuestions(agentContext, threadId)
  // The questioner chooses the id: an equal id on another connection does not block this one.
  if (questions.length > 0) return !questions.some(({ connectionId }) => connectionId === connection?.id)
  return isThirdPartyHandshake(inbound, threadId)
}

const isOwnInvitation = async (inbound: Inbound, invitation: Invitation): Promise<boolean> => {
  const { agentContext, connection, message } = inbound
  if (connection === undefined) return isAddressedTo(invitation, inbound)
  if (isAcceptedBy(invitation, connection)) return true
  return message instanceof DidCommHandshakeReuseMessage && mayReuse(agentContext, invitation, connection)
}

/** Before a connection is ready, its handshake is recognized by our key only. */
const isThirdPartyHandshake = async ({ agentContext, recipientKey }: Inbound, threadId: string): Promise<boolean> => {
  const connections = await agentContext.resolve(DidCommConnectionRepository).findByQuery(agentContext, { threadId })
  return connections.length > 0 && (await withOurKey(agentContext, recipientKey, connections)).length === 0
}
