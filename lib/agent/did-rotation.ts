/** did-rotate (Aries RFC 0794): the other's new DID stays pending until a message that it authenticates arrives on the connection. */
import {
  type AgentContext,
  CredoError,
  type DidDocument,
  DidRepository,
  DidResolverService,
  getAlternativeDidsForPeerDid,
  isValidPeerDid,
} from '@credo-ts/core'
import {
  AckStatus,
  type DidCommConnectionRecord,
  DidCommConnectionService,
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
import { connectionsOfOurKey, didsWithKey, isOfDid } from './connection-lookup.ts'
import { isHandshakeRequest } from './thread-guard.ts'

type Inbound = DidCommInboundMessageContext

/** Where a connection keeps the DID. No index knows it, so it selects nothing, and is in the way of nobody who has it. */
const PENDING = '_internal/pendingTheirDid'

const Pending = v.object({ did: v.string(), keyFingerprints: v.array(v.string()) })
type Pending = v.InferOutput<typeof Pending>

const pendingOf = (connection: DidCommConnectionRecord): Pending | undefined => {
  const pending = v.safeParse(Pending, connection.metadata.get(PENDING))
  return pending.success ? pending.output : undefined
}

/** Why a DID is not taken: a code of RFC 0794, "Problem Report". */
class UnusableDidError extends CredoError {
  readonly code: string

  constructor(code: string) {
    super(`the DID is not usable: ${code}`)
    this.code = code
  }
}

/** These name a document that their receiver has to have. */
const WITHOUT_DOCUMENT = /^did:peer:(?:1|4[^:]*$)/

const resolveUsable = async (
  agentContext: AgentContext,
  did: string,
): Promise<{ document: DidDocument; keys: string[] }> => {
  if (WITHOUT_DOCUMENT.test(did)) throw new UnusableDidError('e.did.unresolvable')
  const { didDocument, didResolutionMetadata } = await agentContext
    .resolve(DidResolverService)
    .resolve(agentContext, did)
  if (didResolutionMetadata.error === 'unsupportedDidMethod') throw new UnusableDidError('e.did.method_unsupported')
  if (didDocument === null) throw new UnusableDidError('e.did.unresolvable')
  const keys = recipientKeys(didDocument)
  if (keys.length === 0) throw new UnusableDidError('e.did.doc_unsupported')
  return { document: didDocument, keys }
}

const recipientKeys = (document: DidDocument): string[] => {
  try {
    return document.recipientKeys.map(({ fingerprint }) => fingerprint)
  } catch {
    // Credo throws for keys that it has no name for.
    return []
  }
}

/** The connection, as long as its current DID speaks: a DID that was rotated away has no say in what the connection is. */
const currentConnection = async (inbound: Inbound): Promise<DidCommConnectionRecord> => {
  const connection = inbound.assertReadyConnection()
  const theirs = inbound.senderKey === undefined ? [] : await didsWithKey(inbound.agentContext, inbound.senderKey)
  if (!theirs.some((record) => isOfDid(record, connection.theirDid)))
    throw new CredoError('the sender is not the current DID of the connection')
  return connection
}

export class DidRotateHandler implements DidCommMessageHandler {
  readonly supportedMessages = [DidCommDidRotateMessage]

  /** Answers with an `ack`, or says why the DID is of no use; both go to the DID that is still in use. */
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
    const { keys } = await resolveUsable(agentContext, toDid)
    if (toDid === connection.theirDid) connection.metadata.delete(PENDING)
    else connection.metadata.set(PENDING, { did: toDid, keyFingerprints: keys } satisfies Pending)
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

export class HangupHandler implements DidCommMessageHandler {
  readonly supportedMessages = [DidCommHangupMessage]

  async handle(inbound: DidCommInboundMessageContext<DidCommHangupMessage>): Promise<undefined> {
    const { agentContext } = inbound
    // It may come again.
    if (inbound.assertReadyConnection().theirDid === undefined) return
    const connection = await currentConnection(inbound)
    connection.metadata.delete(PENDING)
    await agentContext.resolve(DidCommDidRotateService).processHangup(inbound)
  }
}

/**
 * Completes a rotation when the pending DID proves itself: one of its keys has authenticated a message to our key of the
 * connection. Credo calls this before any handler.
 */
export const proveRotatedDid: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const connection = await findAwaiting(inbound)
  if (connection !== undefined) await rotate(inbound, connection)
  await next()
}

const findAwaiting = async (inbound: Inbound): Promise<DidCommConnectionRecord | undefined> => {
  const { agentContext, connection, senderKey, recipientKey } = inbound
  if (senderKey === undefined || recipientKey === undefined || isHandshakeRequest(inbound)) return undefined
  const known = connection === undefined ? await connectionsOfOurKey(agentContext, recipientKey) : [connection]
  return known.find((one) => one.isReady && pendingOf(one)?.keyFingerprints.includes(senderKey.fingerprint))
}

const rotate = async (inbound: Inbound, connection: DidCommConnectionRecord): Promise<void> => {
  const { agentContext, senderKey, sessionId } = inbound
  const pending = pendingOf(connection)
  if (pending === undefined || senderKey === undefined) return
  const theirs = await didsWithKey(agentContext, senderKey)
  if (!theirs.some((record) => isOfDid(record, pending.did))) await storeDid(agentContext, pending.did)
  if (connection.theirDid !== undefined)
    connection.previousTheirDids = [...connection.previousTheirDids, connection.theirDid]
  connection.theirDid = pending.did
  connection.metadata.delete(PENDING)
  await agentContext.resolve(DidCommConnectionService).update(agentContext, connection)
  inbound.connection = connection
  if (sessionId !== undefined)
    agentContext.resolve(DidCommTransportService).setConnectionIdForSession(sessionId, connection.id)
}

const storeDid = async (agentContext: AgentContext, did: string): Promise<void> => {
  const { document, keys } = await resolveUsable(agentContext, did)
  const isPeerDid = isValidPeerDid(did)
  const alternativeDids = isPeerDid ? getAlternativeDidsForPeerDid(did) : undefined
  await agentContext.resolve(DidRepository).storeReceivedDid(agentContext, {
    did,
    // A did:peer holds its own document.
    ...(!isPeerDid && { didDocument: document }),
    tags: { recipientKeyFingerprints: keys, ...(alternativeDids && { alternativeDids }) },
  })
}
