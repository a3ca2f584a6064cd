/** Whose a thread is: an exchange is its connection's, or of whoever may take the invitation that it came with. */
import {
  DidCommConnectionRepository,
  DidCommHandshakeReuseMessage,
  type DidCommInboundMessageContext,
  parseMessageType,
} from '@credo-ts/didcomm'
import { connectionsOfOurKey, didsWithKey } from './connection-lookup.ts'
import { EXCHANGE_PROTOCOLS, type Exchange, findExchanges, updateExchange } from './exchanges.ts'
import {
  findInvitation,
  findInvitationOfRequest,
  type Invitation,
  isAddressedTo,
  isTakenBy,
  isUnused,
  mayReuse,
} from './invitations.ts'

type Inbound = DidCommInboundMessageContext

/** What answers a request without a connection. */
const ANSWERS = new Set(['presentation', 'request-credential', 'problem-report'])

/**
 * Joins the sender of a message to an exchange. False where the exchange is not the sender's. One that came with an invitation
 * is, from the first answer on, of the connection that took the invitation.
 */
export const joinExchange = async (inbound: Inbound, exchange: Exchange): Promise<boolean> => {
  const { agentContext, connection, message } = inbound
  const parent = message.thread?.parentThreadId ?? exchange.parentThreadId
  if (exchange.connectionId !== undefined) {
    if (exchange.connectionId !== connection?.id) return false
    return parent === undefined || parent === exchange.parentThreadId || !(await isOthersThread(inbound, parent))
  }
  const invitation = await findInvitationOfRequest(agentContext, exchange.threadId)
  if (invitation === undefined) return false
  const { id } = invitation.outOfBandInvitation
  // A report may name the request itself as its parent.
  if (![id, exchange.parentThreadId, exchange.threadId].includes(parent)) return false
  if (connection === undefined) {
    if (!(await mayAnswer(inbound, invitation))) return false
    // Credo asks for it; ACA-Py leaves it out.
    message.setThread({ threadId: exchange.threadId, parentThreadId: id })
    return true
  }
  if (!isTakenBy(invitation, connection)) return false
  exchange.connectionId = connection.id
  await updateExchange(agentContext, exchange)
  return true
}

/** Without a connection: whoever holds the invitation, while nobody has taken it, as somebody that no connection knows. */
const mayAnswer = async (inbound: Inbound, invitation: Invitation): Promise<boolean> => {
  const { agentContext, message, senderKey } = inbound
  if (senderKey === undefined || !isUnused(invitation) || !isAddressedTo(invitation, inbound)) return false
  if (!ANSWERS.has(parseMessageType(message.type).messageName)) return false
  return (await didsWithKey(agentContext, senderKey)).length === 0
}

/** Whether a thread, or a parent thread, is of somebody else than the sender. One that nobody has is not. */
export const isOthersThread = async (inbound: Inbound, threadId: string): Promise<boolean> => {
  const { agentContext, connection } = inbound
  const invitation = await findInvitation(agentContext, threadId)
  if (invitation !== undefined) return !(await isOwnInvitation(inbound, invitation))
  for (const protocol of EXCHANGE_PROTOCOLS) {
    const exchanges = await findExchanges(agentContext, protocol, threadId)
    if (exchanges.length > 0)
      return exchanges.some(({ connectionId }) => connectionId === undefined || connectionId !== connection?.id)
  }
  return isOthersHandshake(inbound, threadId)
}

const isOwnInvitation = async (inbound: Inbound, invitation: Invitation): Promise<boolean> => {
  const { agentContext, connection, message } = inbound
  if (connection === undefined) return isAddressedTo(invitation, inbound)
  if (isTakenBy(invitation, connection)) return true
  return message instanceof DidCommHandshakeReuseMessage && mayReuse(agentContext, invitation, connection)
}

/** A handshake that we have begun is answered to the key that we have told, before it is a connection that one finds by keys. */
const isOthersHandshake = async ({ agentContext, recipientKey }: Inbound, threadId: string): Promise<boolean> => {
  const connections = await agentContext.resolve(DidCommConnectionRepository).findByQuery(agentContext, { threadId })
  if (connections.length === 0) return false
  const ours = recipientKey === undefined ? [] : await connectionsOfOurKey(agentContext, recipientKey)
  return !connections.some(({ id }) => ours.some((one) => one.id === id))
}
