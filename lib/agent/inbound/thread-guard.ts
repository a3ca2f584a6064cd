/** Thread guard: messages on a thread are accepted only from the connection that owns the thread. */

import { type AgentContext, CredoError, tryParseDid } from '@credo-ts/core'
import {
  DidCommDidExchangeCompleteMessage,
  DidCommDidExchangeRequestMessage,
  type DidCommInboundMessageContext,
  type DidCommMessageHandlerMiddleware,
  parseMessageType,
} from '@credo-ts/didcomm'
import { PUBLIC_DID } from '../../records/kinds.ts'
import { HANDSHAKES, isHandshakeRequest } from '../connections/index.ts'
import { currentMessage } from '../credo/index.ts'
import { findOwnDid } from '../dids/index.ts'
import { findInvitation, findInvitationsOfKey, isAddressedTo, rememberInvitationOfKey } from '../invitations/index.ts'
import type { Ed25519Key } from '../keys/index.ts'
import {
  type ExchangeProtocol,
  findExchanges,
  isExchangeProtocol,
  isProblemReport,
  recipientRole,
} from '../threads/index.ts'
import { isThirdPartyThread, joinExchange } from './thread-owner.ts'

type Inbound = DidCommInboundMessageContext

/**
 * Records whether a message continues an exchange, or may come from an unknown sender, as handshakes and rotations do.
 * Credo calls this before the handlers, and again for a request that is attached to an invitation.
 */
export const recordUnsolicited: DidCommMessageHandlerMiddleware = async ({ message }, next) => {
  currentMessage().isUnsolicited = !isExchangeProtocol(parseMessageType(message.type).protocolName)
  await next()
}

/**
 * Credo calls this before the handlers. Throws a CredoError, so that nothing is written, if the thread does not belong
 * to the sender, or if a message accepts an invitation without being sent to it.
 */
export const guardThread: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  // Messages without an envelope are attached requests, dispatched by our own code. Problem reports are checked in
  // lib/agent/inbound/problem-reports.ts.
  if (inbound.encryptedMessage !== undefined && !isProblemReport(inbound.message.type)) await assertOwnThread(inbound)
  await next()
}

const assertOwnThread = async (inbound: Inbound): Promise<void> => {
  const { connection, message } = inbound
  const { protocolName, messageName } = parseMessageType(message.type)
  if (isExchangeProtocol(protocolName)) return assertOwnExchange(inbound, protocolName, messageName)
  // The handlers reject it too, but only after looking up the threads that an unknown sender names.
  if (connection === undefined && !HANDSHAKES.includes(protocolName))
    throw new CredoError('the message belongs to no connection')
  const isOwnHandshake =
    message instanceof DidCommDidExchangeCompleteMessage && message.threadId === connection?.threadId
  if (message.threadId !== message.id && !isOwnHandshake) await assertNotThirdPartyThread(inbound, message.threadId)
  if (isHandshakeRequest(inbound)) await assertInvited(inbound)
  else await assertNotThirdPartyParent(inbound)
}

const assertOwnExchange = async (inbound: Inbound, protocol: ExchangeProtocol, messageName: string): Promise<void> => {
  const { agentContext, connection, message } = inbound
  const exchanges = await findExchanges(agentContext, protocol, message.threadId)
  const role = recipientRole(protocol, messageName)
  for (const exchange of exchanges) {
    if (!(await joinExchange(inbound, exchange))) throw notAPartyError(message.threadId)
    if (role !== undefined && exchange.role !== role)
      throw new CredoError(`${message.type} is not for the ${exchange.role}`)
  }
  if (exchanges.length > 0) return
  if (connection === undefined) throw new CredoError('an exchange must begin on a connection')
  await assertNotThirdPartyThread(inbound, message.threadId)
  await assertNotThirdPartyParent(inbound)
}

const assertNotThirdPartyParent = async (inbound: Inbound): Promise<void> => {
  const parentThreadId = inbound.message.thread?.parentThreadId
  if (parentThreadId !== undefined) await assertNotThirdPartyThread(inbound, parentThreadId)
}

const assertNotThirdPartyThread = async (inbound: Inbound, threadId: string): Promise<void> => {
  if (await isThirdPartyThread(inbound, threadId)) throw notAPartyError(threadId)
}

const notAPartyError = (threadId: string): CredoError =>
  new CredoError(`the sender is not a party of the thread ${threadId}`)

/** Credo looks up the invitation only by its id (did-exchange) or only by the key (connections). */
const assertInvited = async (inbound: Inbound): Promise<void> => {
  const { message, recipientKey } = inbound
  const invitationId = message.thread?.parentThreadId
  if (invitationId === undefined || recipientKey === undefined) return
  if (tryParseDid(invitationId)) return assertImplicitlyInvited(inbound, invitationId)
  if (!(await isInvitedTo(inbound, invitationId)))
    throw new CredoError('the request was not sent to the invitation that it names')
  rememberInvitationOfKey(recipientKey, invitationId)
}

/**
 * For requests to a DID instead of an invitation (RFC 0434, "implicit invitation"). Credo treats every DID of ours as
 * public.
 */
const assertImplicitlyInvited = async (
  { agentContext, message, recipientKey }: Inbound,
  did: string,
): Promise<void> => {
  const isRequested = message instanceof DidCommDidExchangeRequestMessage && recipientKey !== undefined
  if (!isRequested || !(await isPublic(agentContext, did, recipientKey)))
    throw new CredoError('the request was not sent to a public DID of this agent')
}

const isInvitedTo = async (inbound: Inbound, invitationId: string): Promise<boolean> => {
  const invitation = await findInvitation(inbound.agentContext, invitationId)
  return invitation !== undefined && isAddressedTo(invitation, inbound)
}

/** Whether a key belongs to a public DID of ours: an invitation named the DID, or it was created as public. */
const isPublic = async (agentContext: AgentContext, did: string, key: Ed25519Key): Promise<boolean> => {
  const record = await findOwnDid({ context: agentContext }, did)
  if (!record?.getTags().recipientKeyFingerprints?.includes(key.fingerprint)) return false
  if (record.getTag(PUBLIC_DID) === true) return true
  const invitations = await findInvitationsOfKey(agentContext, key)
  return invitations.some(({ outOfBandInvitation }) => outOfBandInvitation.getDidServices().includes(did))
}
