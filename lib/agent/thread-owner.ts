/** Whose a thread is: its connection's, or of whoever holds the invitation that it came with. */
import { TypedArrayEncoder } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommHandshakeReuseMessage,
  type DidCommInboundMessageContext,
  DidCommMessageRepository,
  DidCommMessageRole,
  parseMessageType,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { connectionsOfOurKey } from './connection-service.ts'
import { didsWithKey } from './did-repository.ts'
import { EXCHANGE_PROTOCOLS, type Exchange, findExchanges, updateExchange } from './exchanges.ts'
import {
  findInvitation,
  findInvitationOfRequest,
  type Invitation,
  isAddressedTo,
  isOfInviter,
  isTakenBy,
  isUnused,
  mayReuse,
  useUp,
} from './invitations.ts'
import { findQuestions } from './question-answer-service.ts'

type Inbound = DidCommInboundMessageContext

/** What of a request is asked for: the keys are in base58. */
const Requested = v.looseObject({
  '~service': v.fallback(v.optional(v.looseObject({ recipientKeys: v.array(v.string()) })), undefined),
})

/** Messages that may answer the request of an invitation that nobody has taken. */
const ANSWERS = new Set(['presentation', 'request-credential', 'problem-report'])

/**
 * Whether the sender of a message takes part in an exchange. The exchange of an invitation belongs, from its first message on, to
 * the connection that has taken the invitation.
 */
export const joinExchange = async (inbound: Inbound, exchange: Exchange): Promise<boolean> => {
  const { agentContext, connection, message } = inbound
  const parent = message.thread?.parentThreadId ?? exchange.parentThreadId
  if (exchange.connectionId !== undefined) {
    if (exchange.connectionId !== connection?.id) return false
    return parent === undefined || parent === exchange.parentThreadId || !(await isOthersThread(inbound, parent))
  }
  const invitation = await findInvitationOfRequest(agentContext, exchange.threadId)
  // What this agent has received in an invitation goes on with the inviter, to the key that its answer names: Credo compares that.
  if (invitation === undefined) return connection === undefined && isOfInviter(inbound, exchange.threadId)
  const { id } = invitation.outOfBandInvitation
  // A problem report may name the request as its parent.
  if (![id, exchange.parentThreadId, exchange.threadId].includes(parent)) return false
  if (connection === undefined) {
    if (!(await mayAnswer(inbound, invitation)) && !(await mayAcknowledge(inbound, exchange))) return false
    // Credo requires it, and ACA-Py does not send it.
    message.setThread({ threadId: exchange.threadId, parentThreadId: id })
    return true
  }
  if (!isTakenBy(invitation, connection)) {
    if (!(await mayAnswerAgain(inbound, invitation, connection))) return false
    await useUp(agentContext, invitation, connection)
  }
  exchange.connectionId = connection.id
  await updateExchange(agentContext, exchange)
  return true
}

const isAnswer = (inbound: Inbound, invitation: Invitation): boolean =>
  isUnused(invitation) && ANSWERS.has(parseMessageType(inbound.message.type).messageName)

/** Without a connection: by a new key, to the key of an invitation that nobody has taken. */
const mayAnswer = async (inbound: Inbound, invitation: Invitation): Promise<boolean> => {
  const { agentContext, senderKey } = inbound
  if (senderKey === undefined || !isAnswer(inbound, invitation) || !isAddressedTo(invitation, inbound)) return false
  return (await didsWithKey(agentContext, senderKey)).length === 0
}

/** Without a connection: who has asked for the credential, by the key that the request names for answers (`~service`, Aries RFC 0056). */
const mayAcknowledge = async ({ agentContext, message, senderKey }: Inbound, { id }: Exchange): Promise<boolean> => {
  const { protocolName, protocolMajorVersion, messageName } = parseMessageType(message.type)
  if (senderKey === undefined || protocolName !== 'issue-credential' || messageName !== 'ack') return false
  const request = await agentContext.resolve(DidCommMessageRepository).findSingleByQuery(agentContext, {
    ...{ associatedRecordId: id, role: DidCommMessageRole.Receiver, messageName: 'request-credential' },
    ...{ protocolName, protocolMajorVersion: String(protocolMajorVersion) },
  })
  const { '~service': service } = v.parse(Requested, request?.message ?? {})
  return service?.recipientKeys.includes(TypedArrayEncoder.toBase58(senderKey.publicKey.publicKey)) ?? false
}

/** On an older connection, which Credo's wallets use without a `handshake-reuse`: by a message that names the invitation. */
const mayAnswerAgain = async (
  inbound: Inbound,
  invitation: Invitation,
  connection: DidCommConnectionRecord,
): Promise<boolean> =>
  inbound.message.thread?.parentThreadId !== undefined &&
  isAnswer(inbound, invitation) &&
  (await mayReuse(inbound.agentContext, invitation, connection))

/** Whether an id is the thread of somebody else: of an invitation, an exchange, a question or a handshake. An unknown id is not. */
export const isOthersThread = async (inbound: Inbound, threadId: string): Promise<boolean> => {
  const { agentContext, connection } = inbound
  const invitation = await findInvitation(agentContext, threadId)
  if (invitation !== undefined) return !(await isOwnInvitation(inbound, invitation))
  for (const protocol of EXCHANGE_PROTOCOLS) {
    const exchanges = await findExchanges(agentContext, protocol, threadId)
    if (exchanges.length > 0)
      return exchanges.some(({ connectionId }) => connectionId === undefined || connectionId !== connection?.id)
  }
  const questions = await findQuestions(agentContext, threadId)
  // Who asks chooses the id: another's with the same one takes nothing from this connection.
  if (questions.length > 0) return !questions.some(({ connectionId }) => connectionId === connection?.id)
  return isOthersHandshake(inbound, threadId)
}

const isOwnInvitation = async (inbound: Inbound, invitation: Invitation): Promise<boolean> => {
  const { agentContext, connection, message } = inbound
  if (connection === undefined) return isAddressedTo(invitation, inbound)
  if (isTakenBy(invitation, connection)) return true
  return message instanceof DidCommHandshakeReuseMessage && mayReuse(agentContext, invitation, connection)
}

/** A handshake is its connection's. Before that is ready it has our key only. */
const isOthersHandshake = async ({ agentContext, recipientKey }: Inbound, threadId: string): Promise<boolean> => {
  const connections = await agentContext.resolve(DidCommConnectionRepository).findByQuery(agentContext, { threadId })
  if (connections.length === 0) return false
  const ours = recipientKey === undefined ? [] : await connectionsOfOurKey(agentContext, recipientKey)
  return !connections.some(({ id }) => ours.some((one) => one.id === id))
}
