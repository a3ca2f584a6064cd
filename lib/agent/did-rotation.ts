/** did-rotate (Aries RFC 0794): the new DID of the other agent is pending until it authenticates a message on the connection. */
import type { AgentContext } from '@credo-ts/core'
import {
  AckStatus,
  type DidCommConnectionRecord,
  DidCommConnectionService,
  DidCommDidExchangeState,
  DidCommDidRotateAckMessage,
  DidCommDidRotateMessage,
  DidCommDidRotateProblemReportMessage,
  DidCommDidRotateService,
  DidCommHangupMessage,
  type DidCommInboundMessageContext,
  type DidCommMessageHandler,
  type DidCommMessageHandlerMiddleware,
  DidCommOutboundMessageContext,
  DidCommTransportService,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { OF_UNFINISHED_HANDSHAKE } from '../records/did.ts'
import { connectionsOfOurKey, currentConnection } from './connection-service.ts'
import { didsWithKey, isOfDid, storeTheirDid } from './did-repository.ts'
import { expires, expireUnlessCompleted } from './handshake-expiry.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { recipientKeysOf, UnusableDidError } from './their-services.ts'
import { isHandshakeRequest } from './thread-guard.ts'

type Inbound = DidCommInboundMessageContext

/** Metadata of the connection. It is not indexed: a pending DID selects no connection, and its owner may connect with it. */
const PENDING = '_internal/pendingTheirDid'

const Pending = v.object({ did: v.string(), keyFingerprints: v.array(v.string()) })
type Pending = v.InferOutput<typeof Pending>

const pendingOf = (connection: DidCommConnectionRecord): Pending | undefined => {
  const pending = v.safeParse(Pending, connection.metadata.get(PENDING))
  return pending.success ? pending.output : undefined
}

export class DidRotateHandler implements DidCommMessageHandler {
  readonly supportedMessages = [DidCommDidRotateMessage]

  /** Answers with an `ack` or a problem report, to the DID that is still in use. */
  async handle(inbound: DidCommInboundMessageContext<DidCommDidRotateMessage>): Promise<DidCommOutboundMessageContext> {
    const { agentContext, message } = inbound
    const connection = await currentConnection(inbound)
    const answer = await this.#take(agentContext, connection, message).catch((error) => {
      if (!(error instanceof UnusableDidError)) throw error
      return refusal(message, error.code)
    })
    return new DidCommOutboundMessageContext(answer, { agentContext, connection })
  }

  async #take(
    agentContext: AgentContext,
    connection: DidCommConnectionRecord,
    { toDid, threadId }: DidCommDidRotateMessage,
  ) {
    const pending: Pending = { did: toDid, keyFingerprints: await recipientKeysOf(agentContext, toDid) }
    if (toDid === connection.theirDid) connection.metadata.delete(PENDING)
    else connection.metadata.set(PENDING, pending)
    await agentContext.resolve(DidCommConnectionService).update(agentContext, connection)
    return new DidCommDidRotateAckMessage({ threadId, status: AckStatus.OK })
  }
}

const refusal = ({ id, threadId }: DidCommDidRotateMessage, code: string): DidCommDidRotateProblemReportMessage => {
  const report = new DidCommDidRotateProblemReportMessage({
    description: { code, en: 'the new DID can not be used' },
  })
  // RFC 0794 names the message as the parent thread, ACA-Py looks for it in the thread.
  report.setThread({ threadId, parentThreadId: id })
  return report
}

/** Ends the connection: its record shows that (`abandoned`, without `theirDid`), and the change of state is an event. */
export class HangupHandler implements DidCommMessageHandler {
  readonly supportedMessages = [DidCommHangupMessage]

  /** Throws a CredoError for a message that is not from the current DID of a connection. */
  async handle(inbound: DidCommInboundMessageContext<DidCommHangupMessage>): Promise<undefined> {
    const { agentContext } = inbound
    if (inbound.connection?.theirDid === undefined && (await isRepetition(inbound))) return
    const connection = await currentConnection(inbound)
    connection.metadata.delete(PENDING)
    await agentContext.resolve(DidCommDidRotateService).processHangup(inbound)
    await agentContext
      .resolve(DidCommConnectionService)
      .updateState(agentContext, connection, DidCommDidExchangeState.Abandoned)
  }
}

/** The sender has ended the connection before: a hang-up may come again. */
const isRepetition = async ({ agentContext, recipientKey, senderKey }: Inbound): Promise<boolean> => {
  if (recipientKey === undefined || senderKey === undefined) return false
  const theirs = await didsWithKey(agentContext, senderKey)
  return (await connectionsOfOurKey(agentContext, recipientKey)).some(
    ({ theirDid, previousTheirDids }) =>
      theirDid === undefined && theirs.some((record) => isOfDid(record, previousTheirDids.at(-1))),
  )
}

/**
 * Completes a rotation when the pending DID has proven itself: one of its keys has authenticated a message to our key of the
 * connection. Credo calls this before any handler.
 */
export const completeRotation: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const { agentContext, connection, recipientKey, senderKey } = inbound
  if (senderKey !== undefined && recipientKey !== undefined && !isHandshakeRequest(inbound)) {
    const connections = connection ? [connection] : await connectionsOfOurKey(agentContext, recipientKey)
    const rotating = connections.find(
      (one) => one.isReady && pendingOf(one)?.keyFingerprints.includes(senderKey.fingerprint),
    )
    if (rotating !== undefined) await rotate(inbound, rotating, senderKey)
  }
  await next()
}

const rotate = async (inbound: Inbound, connection: DidCommConnectionRecord, senderKey: Ed25519Key): Promise<void> => {
  const { agentContext, sessionId } = inbound
  const { did } = pendingOf(connection) ?? {}
  if (did === undefined) return
  const theirs = await didsWithKey(agentContext, senderKey)
  if (!theirs.some((record) => isOfDid(record, did) && record.getTag(OF_UNFINISHED_HANDSHAKE) !== true)) {
    await storeTheirDid(agentContext, { did }, senderKey)
    if (expires(connection)) await expireUnlessCompleted(agentContext, connection)
  }
  const { theirDid, previousTheirDids } = connection
  connection.previousTheirDids = theirDid === undefined ? previousTheirDids : [...previousTheirDids, theirDid]
  connection.theirDid = did
  connection.metadata.delete(PENDING)
  await agentContext.resolve(DidCommConnectionService).update(agentContext, connection)
  inbound.connection = connection
  if (sessionId !== undefined)
    agentContext.resolve(DidCommTransportService).setConnectionIdForSession(sessionId, connection.id)
}
