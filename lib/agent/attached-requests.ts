/** Requests that are attached to an invitation (Aries RFC 0434): which are taken, and how one is handled without an envelope. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommDidExchangeRole,
  DidCommDidExchangeState,
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
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { ATTACHED_REQUEST } from '../records/record-json.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { currentUnit } from '../store/transaction.ts'
import { EXCHANGE_PROTOCOLS, type ExchangeProtocol, findExchanges, isExchangeProtocol } from './exchanges.ts'
import { tenantOf } from './tenant-contexts.ts'

/**
 * The one message of each protocol that may come with an invitation. Nobody has authenticated what is attached, so no other message is taken:
 * a hang-up or a message on the connection that is used again would be anybody's.
 */
const REQUESTS: Record<ExchangeProtocol, string> = {
  'present-proof': 'request-presentation',
  'issue-credential': 'offer-credential',
}

/** The first request that this agent knows: they are alternatives. */
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
    // Credo throws for what is no type of a message.
    return undefined
  }
}

const isTaken = (record: DidCommOutOfBandRecord): boolean => record.metadata.get(ATTACHED_REQUEST) !== null

/**
 * Handles the request of an invitation, on a connection or without any, and ends the invitation. Throws what Credo's handlers throw, and a
 * CredoError where the thread of the request is in use.
 */
export const takeRequest = async (
  agentContext: AgentContext,
  record: DidCommOutOfBandRecord,
  connection?: DidCommConnectionRecord,
): Promise<void> => {
  const request = requestOf(agentContext, record.outOfBandInvitation)
  if (request !== undefined && !isTaken(record)) {
    const threadId = request['~thread']?.thid ?? request['@id']
    const isNew = await isNewThread(agentContext, threadId)
    record.metadata.set(ATTACHED_REQUEST, { id: request['@id'], ...(isNew && { threadId }) })
    await endInvitation(agentContext, record)
    if (!isNew) throw new CredoError('the thread of the attached request is in use')
    await handleRequest(agentContext, withParent(request, record), connection)
  } else await endInvitation(agentContext, record)
}

/** In whatever protocol: answers of a thread look for the one invitation that it came with. */
const isNewThread = async (agentContext: AgentContext, threadId: string): Promise<boolean> => {
  for (const protocol of EXCHANGE_PROTOCOLS)
    if ((await findExchanges(agentContext, protocol, threadId)).length > 0) return false
  return true
}

const endInvitation = (agentContext: AgentContext, record: DidCommOutOfBandRecord): Promise<void> => {
  record.state = DidCommOutOfBandState.Done
  return agentContext.resolve(DidCommOutOfBandRepository).update(agentContext, record)
}

/** Answers name the invitation as their parent thread, but for a request that came without an invitation around it. */
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
 * Handles the request that was kept for the end of the handshake: called with a connection that the running unit of work has completed. A
 * request that can not be handled takes nothing back of the handshake.
 */
export const takeKeptRequest = async (
  agentContext: AgentContext,
  connection: DidCommConnectionRecord,
): Promise<void> => {
  if (connection.role !== DidCommDidExchangeRole.Requester || connection.state !== DidCommDidExchangeState.Completed)
    return
  const { outOfBandId } = connection
  if (outOfBandId === undefined) return
  const record = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  if (record === null || record.role !== DidCommOutOfBandRole.Receiver || isTaken(record)) return
  if (requestOf(agentContext, record.outOfBandInvitation) === undefined) return
  try {
    await takeRequest(agentContext, record, connection)
  } catch (error) {
    // The unit keeps a fault of the store by itself.
    log('info', 'a request that came with an invitation was refused', {
      event: 'inbound.attached_request_refused',
      ...{ tenant: currentUnit().tenant, outOfBandId, error: errorName(error) },
    })
  }
}
