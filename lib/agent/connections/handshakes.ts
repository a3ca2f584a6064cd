/** Steps that the handshakes of both protocols share, and the connection of a did-exchange request. */
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionService,
  type DidCommDidExchangeRequestMessage,
  DidCommDidExchangeRole,
  DidCommDidExchangeState,
  DidCommHandshakeProtocol,
  type DidCommInboundMessageContext,
  type DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
  type DidCommRouting,
  DidCommRoutingService,
  type DidDoc,
} from '@credo-ts/didcomm'
import { defined } from '../../json.ts'
import { storeTheirDid } from '../dids/index.ts'
import type { Ed25519Key } from '../keys/index.ts'
import { requestNotAccepted, theirDidOf } from './their-did.ts'
import { admitRequest, expireUnlessCompleted } from './unsolicited-requests.ts'

/**
 * Runs `process` for a request that is admitted. What it creates for a multi-use invitation expires unless completed.
 */
export const processRequest = async (
  agentContext: AgentContext,
  outOfBand: DidCommOutOfBandRecord,
  process: () => Promise<DidCommConnectionRecord>,
): Promise<DidCommConnectionRecord> => {
  await admitRequest(outOfBand)
  const connection = await process()
  if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
  return connection
}

/**
 * Runs `create` for a response, with a key for this connection. Credo would use the invitation's key if it names one,
 * and a caller may put one key into several invitations.
 */
export const createResponseWith = async <Response>(
  agentContext: AgentContext,
  connection: DidCommConnectionRecord,
  outOfBand: DidCommOutOfBandRecord,
  chosenRouting: DidCommRouting | undefined,
  create: (routing: DidCommRouting) => Promise<Response>,
): Promise<Response> => {
  const routing = chosenRouting ?? (await agentContext.resolve(DidCommRoutingService).getRouting(agentContext))
  const response = await create(routing)
  if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
  return response
}

/**
 * Whether the handshake of a connection may continue: the record of its invitation exists. The record of a public DID
 * is created again with the same id for later requests (`implicitInvitation`), so the times are compared. The commit
 * has no condition on the record, because all handshakes of a multi-use invitation would conflict: a handshake that
 * ends during the deletion may succeed. /
 */
export const isInvited = async (
  agentContext: AgentContext,
  { outOfBandId, createdAt }: DidCommConnectionRecord,
): Promise<boolean> => {
  if (outOfBandId === undefined) return false
  const invitation = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  return invitation !== null && invitation.createdAt <= createdAt
}

/** The context of documents without a DID method (Aries RFC 0160). Wallets with Credo 0.5 accept no other. */
const CONTEXT = 'https://w3id.org/did/v1'

/** The function with which Credo creates such a document, with that context. */
export const withContext =
  (create: (routing: DidCommRouting) => { didDoc: DidDoc }): typeof create =>
  (routing) => {
    const created = create(routing)
    created.didDoc.context = CONTEXT
    return created
  }

/** The key of a request for an unused invitation of this agent. Throws for any other request. */
export const senderKeyOf = (
  { senderKey }: DidCommInboundMessageContext,
  outOfBand: DidCommOutOfBandRecord,
): Ed25519Key => {
  outOfBand.assertRole(DidCommOutOfBandRole.Sender)
  outOfBand.assertState(DidCommOutOfBandState.AwaitResponse)
  if (senderKey === undefined) throw requestNotAccepted('the request is not authenticated')
  return senderKey
}

/** Creates the connection that a request of did-exchange asks for. Throws a problem report. */
export const createRequestedConnection = async (
  { agentContext, message }: DidCommInboundMessageContext<DidCommDidExchangeRequestMessage>,
  outOfBand: DidCommOutOfBandRecord,
  senderKey: Ed25519Key,
): Promise<DidCommConnectionRecord> => {
  const theirDid = await theirDidOf(agentContext, message, senderKey)
  await storeTheirDid(agentContext, theirDid, senderKey)
  const { alias, autoAcceptConnection } = outOfBand
  return agentContext.resolve(DidCommConnectionService).createConnection(agentContext, {
    protocol: DidCommHandshakeProtocol.DidExchange,
    role: DidCommDidExchangeRole.Responder,
    state: DidCommDidExchangeState.RequestReceived,
    theirDid: theirDid.did,
    threadId: message.threadId,
    outOfBandId: outOfBand.id,
    ...defined({ alias, theirLabel: message.label, autoAcceptConnection }),
  })
}
