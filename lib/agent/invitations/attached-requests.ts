/**
 * Requests that are attached to invitations (Aries RFC 0434): selects the supported ones, and handles them without an
 * envelope.
 */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionResponseMessage,
  DidCommDidExchangeResponseMessage,
  DidCommDidExchangeRole,
  DidCommDidExchangeState,
  type DidCommInboundMessageContext,
  DidCommInvitationType,
  DidCommMessageHandlerRegistry,
  DidCommMessageReceiver,
  type DidCommOutOfBandInvitation,
  type DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
  type DidCommPlaintextMessage,
  parseMessageType,
} from '@credo-ts/didcomm'
import { errorName } from '../../errors.ts'
import { log } from '../../log.ts'
import { ATTACHED_REQUEST } from '../../records/record-json.ts'
import { BASE_AGENT } from '../../records/tenant.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'
import { EXCHANGE_PROTOCOLS, type ExchangeProtocol, findExchanges, isExchangeProtocol } from '../threads/index.ts'

/**
 * The only message of each protocol that may be attached. Attachments are not authenticated: the sender could attach
 * a hang-up, or a message on the connection that is reused.
 */
const REQUESTS: Record<ExchangeProtocol, string> = {
  'present-proof': 'request-presentation',
  'issue-credential': 'offer-credential',
}

/** The first request of a supported type. Attached requests are alternatives. */
export const requestOf = (
  agentContext: AgentContext,
  invitation: DidCommOutOfBandInvitation,
): DidCommPlaintextMessage | undefined => {
  const registry = agentContext.resolve(DidCommMessageHandlerRegistry)
  return invitation.getRequests()?.find((request) => {
    const protocol = protocolOf(request)
    return protocol !== undefined && registry.getMessageClassForMessageType(request['@type']) !== undefined
  })
}

const protocolOf = (request: DidCommPlaintextMessage): ExchangeProtocol | undefined => {
  try {
    const { protocolName, messageName } = parseMessageType(request['@type'])
    return isExchangeProtocol(protocolName) && REQUESTS[protocolName] === messageName ? protocolName : undefined
  } catch {
    // Credo throws for a malformed message type.
    return undefined
  }
}

const isHandled = (record: DidCommOutOfBandRecord): boolean => record.metadata.get(ATTACHED_REQUEST) !== null

/**
 * Handles the request of an invitation, with or without a connection, and completes the invitation. Throws the errors
 * of Credo's handlers, and a CredoError if the request's thread is in use.
 */
export const handleAttachedRequest = async (
  agentContext: AgentContext,
  record: DidCommOutOfBandRecord,
  connection?: DidCommConnectionRecord,
): Promise<void> => {
  const request = requestOf(agentContext, record.outOfBandInvitation)
  if (request === undefined) return endInvitation(agentContext, record)
  const threadId = request['~thread']?.thid ?? request['@id']
  const isNew = await isNewThread(agentContext, threadId)
  record.metadata.set(ATTACHED_REQUEST, isNew ? { threadId } : {})
  await endInvitation(agentContext, record)
  if (!isNew) throw new CredoError('the thread of the attached request is in use')
  await handleRequest(agentContext, withParent(request, record), connection)
}

/** Checks all protocols, because an answer finds the invitation by its thread alone. */
const isNewThread = async (agentContext: AgentContext, threadId: string): Promise<boolean> => {
  for (const protocol of EXCHANGE_PROTOCOLS)
    if ((await findExchanges(agentContext, protocol, threadId)).length > 0) return false
  return true
}

const endInvitation = (agentContext: AgentContext, record: DidCommOutOfBandRecord): Promise<void> => {
  record.state = DidCommOutOfBandState.Done
  return agentContext.resolve(DidCommOutOfBandRepository).update(agentContext, record)
}

/** Answers name the invitation as their parent thread, unless the request came without one. */
const withParent = (request: DidCommPlaintextMessage, record: DidCommOutOfBandRecord): DidCommPlaintextMessage => {
  const legacy = record.metadata.get('_internal/legacyInvitation')
  if (legacy?.legacyInvitationType === DidCommInvitationType.Connectionless) return request
  return { ...request, '~thread': { ...request['~thread'], pthid: record.outOfBandInvitation.id } }
}

const handleRequest = async (
  agentContext: AgentContext,
  request: DidCommPlaintextMessage,
  connection: DidCommConnectionRecord | undefined,
): Promise<void> => {
  const tenant = tenantOf(agentContext)
  await agentContext.resolve(DidCommMessageReceiver).receiveMessage(request, {
    ...(connection && { connection }),
    ...(tenant !== BASE_AGENT && { contextCorrelationId: tenant }),
  })
}

/**
 * Handles the request that came with an invitation after a message that has completed the handshake. Credo would wait
 * for the connection in memory and emit an event. Here the answer is sent after the handshake's last message.
 */
export const handleRequestAfterResponse = async ({
  agentContext,
  connection,
  message,
}: DidCommInboundMessageContext): Promise<void> => {
  const isResponse =
    message instanceof DidCommDidExchangeResponseMessage || message instanceof DidCommConnectionResponseMessage
  if (isResponse && connection !== undefined) await handleRequestAfterHandshake(agentContext, connection)
}

/**
 * Handles the attached request after the handshake. `connection` was completed by the running unit of work. A request
 * that fails does not undo the handshake.
 */
export const handleRequestAfterHandshake = async (
  agentContext: AgentContext,
  connection: DidCommConnectionRecord,
): Promise<void> => {
  if (connection.role !== DidCommDidExchangeRole.Requester || connection.state !== DidCommDidExchangeState.Completed)
    return
  const { outOfBandId } = connection
  if (outOfBandId === undefined) return
  const record = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  if (record === null || record.role !== DidCommOutOfBandRole.Receiver || isHandled(record)) return
  if (requestOf(agentContext, record.outOfBandInvitation) === undefined) return
  try {
    await handleAttachedRequest(agentContext, record, connection)
  } catch (error) {
    // After a store error the unit of work does not commit.
    log('info', 'attached request of an invitation rejected', {
      event: 'inbound.attached_request_refused',
      ...{ tenant: currentUnit().tenant, outOfBandId, error: errorName(error) },
    })
  }
}
