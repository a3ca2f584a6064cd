/** did-rotate (Aries RFC 0794). The other agent's new DID is pending until it authenticates a message on the connection. */
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
import { didsWithKey, isOfDid, storeTheirDid } from '../dids/did-repository.ts'
import { recipientKeysOf, UnusableDidError } from '../dids/their-services.ts'
import type { Ed25519Key } from '../keys/ed25519-key.ts'
import { isHandshakeRequest } from '../thread-guard.ts'
import { connectionsOfOurKey, currentConnection } from './connection-service.ts'
import { expires, expireUnlessCompleted } from './strangers.ts'

type Inbound = DidCommInboundMessageContext

/** Metadata of the connection. It is not indexed: a pending DID finds no connection, and its owner may still connect with it. */
const PENDING = '_internal/pendingTheirDid'

const Pending = v.object({ did: v.string(), keyFingerprints: v.array(v.string()) })
type Pending = v.InferOutput<typeof Pending>

const pendingOf = (connection: DidCommConnectionRecord): Pending | undefined => {
  const pending = v.safeParse(Pending, connection.metadata.get(PENDING))
  return pending.success ? pending.output : undefined
}

export class DidRotateHandler implements DidCommMessageHandler {
  readonly supportedMessages = [DidCommDidRotateMessage]

  /** Answers with an `ack` or a problem report, sent to the current DID. */
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
  // By RFC 0794 the message is the parent thread, but ACA-Py looks for it in the thread.
  report.setThread({ threadId, parentThreadId: id })
  return report
}

/** Ends the connection: the record becomes `abandoned` and loses `theirDid`, and the change of state is an event. */
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

/** Whether the sender has ended the connection already: hang-ups are repeated. */
const isRepetition = async ({ agentContext, recipientKey, senderKey }: Inbound): Promise<boolean> => {
  if (recipientKey === undefined || senderKey === undefined) return false
  const theirs = await didsWithKey(agentContext, senderKey)
  return (await connectionsOfOurKey(agentContext, recipientKey)).some(
    ({ theirDid, previousTheirDids }) =>
      theirDid === undefined && theirs.some((record) => isOfDid(record, previousTheirDids.at(-1))),
  )
}

/**
 * Completes a rotation when a key of the pending DID has authenticated a message to our key of the connection. Credo calls this before the handlers.
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

/** Maximum number of former DIDs, from which messages may still arrive. Each is an index entry with a copy of the connection, whose size others choose. */
const MAX_FORMER_DIDS = 5

const rotate = async (inbound: Inbound, connection: DidCommConnectionRecord, senderKey: Ed25519Key): Promise<void> => {
  const { agentContext, sessionId } = inbound
  const { did } = pendingOf(connection) ?? {}
  if (did === undefined) return
  await storeTheirDid(agentContext, { did }, senderKey)
  if (expires(connection)) await expireUnlessCompleted(agentContext, connection)
  const { theirDid, previousTheirDids } = connection
  if (theirDid !== undefined) connection.previousTheirDids = [...previousTheirDids, theirDid].slice(-MAX_FORMER_DIDS)
  connection.theirDid = did
  connection.metadata.delete(PENDING)
  await agentContext.resolve(DidCommConnectionService).update(agentContext, connection)
  inbound.connection = connection
  if (sessionId !== undefined)
    agentContext.resolve(DidCommTransportService).setConnectionIdForSession(sessionId, connection.id)
}
