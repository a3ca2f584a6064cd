/**
 * did-rotate (Aries RFC 0794). The other agent's new DID is pending until it authenticates a message on the connection.
 */
import { type AgentContext, DidRepository } from '@credo-ts/core'
import {
  AckStatus,
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionService,
  DidCommDidExchangeState,
  DidCommDidRotateAckMessage,
  DidCommDidRotateMessage,
  DidCommDidRotateProblemReportMessage,
  DidCommDidRotateService,
  DidCommEnvelopeService,
  DidCommHangupMessage,
  type DidCommInboundMessageContext,
  type DidCommMessage,
  type DidCommMessageHandler,
  type DidCommMessageHandlerMiddleware,
  DidCommOutboundMessageContext,
  DidCommTransportService,
  DidCommTrustPingMessage,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { isAgentError } from '../../errors.ts'
import { connectionRecords, MAX_QUERY_ENTRIES } from '../../records/kinds.ts'
import { rotationBetween, rotationsOf } from '../../records/pending-rotations.ts'
import { PENDING_DID, ROTATIONS } from '../../records/record-json.ts'
import { tagPartition } from '../../store/index-entries.ts'
import { digest, entryAddress, recordKeyOf } from '../../store/keys.ts'
import { listIndexed } from '../../store/record-reads.ts'
import { addressOf } from '../../store/table.ts'
import { currentUnit } from '../../store/transaction.ts'
import {
  didsWithKey,
  isKeyOf,
  reachableServicesOf,
  recipientKeysOf,
  storeTheirDid,
  UnusableDidError,
} from '../dids/index.ts'
import type { Ed25519Key } from '../keys/index.ts'
import { addToOutbox, type Lane, laneOf, Rotations } from '../transport/index.ts'
import { connectionsOfKeys, currentConnection } from './current-connection.ts'
import { expires, expireUnlessCompleted, isHandshakeRequest } from './unsolicited-requests.ts'

type Inbound = DidCommInboundMessageContext

const Pending = v.object({ did: v.string(), keyFingerprints: v.array(v.string()) })

const pendingOf = ({ metadata }: DidCommConnectionRecord) =>
  v.parse(v.fallback(Pending, { did: '', keyFingerprints: [] }), metadata.get(PENDING_DID))

/**
 * Maximum number of rotations of a connection to another DID in an hour: each makes a request to an endpoint that the
 * other agent chooses.
 */
const MAX_ROTATIONS = 10

const HOUR = 60 * 60 * 1000

/** The rotations with one more. Throws `UnusableDidError` if there are too many. */
const withNextRotation = ({ metadata, theirDid = '' }: DidCommConnectionRecord, now: number): Rotations => {
  const none = { firstDid: digest(theirDid), at: [] }
  const { firstDid, at } = v.parse(v.fallback(Rotations, none), metadata.get(ROTATIONS))
  const ofHour = at.filter((time) => time > now - HOUR)
  if (ofHour.length >= MAX_ROTATIONS) throw new UnusableDidError('e.did.too_many_rotations')
  return { firstDid, at: [...ofHour, now] }
}

type Rotation = DidCommInboundMessageContext<DidCommDidRotateMessage>

export class DidRotateHandler implements DidCommMessageHandler {
  readonly supportedMessages = [DidCommDidRotateMessage]

  /** Answers with an `ack` or a problem report, sent to the current DID. */
  async handle(inbound: Rotation): Promise<DidCommOutboundMessageContext> {
    const { agentContext, message } = inbound
    const connection = inbound.assertReadyConnection()
    const response = await this.#acceptRotation(inbound, connection).catch((error) => problemReportFor(message, error))
    return new DidCommOutboundMessageContext(response, { agentContext, connection })
  }

  async #acceptRotation(inbound: Rotation, connection: DidCommConnectionRecord): Promise<DidCommMessage> {
    const { agentContext, message } = inbound
    const { toDid: did, threadId } = message
    if (did === connection.theirDid) connection.metadata.delete(PENDING_DID)
    else {
      const rotations = withNextRotation(connection, Date.now())
      const keyFingerprints = await recipientKeysOf(agentContext, did)
      await ping(inbound, did, laneOf(connection.id, did, rotations))
      connection.metadata.set(PENDING_DID, { did, keyFingerprints })
      connection.metadata.set(ROTATIONS, rotations)
    }
    await agentContext.resolve(DidCommConnectionService).update(agentContext, connection)
    return new DidCommDidRotateAckMessage({ threadId, status: AckStatus.OK })
  }
}

/** In ms. */
const PING_DELAY = 2_000

/**
 * Pings the new DID (Aries RFC 0048), because the other agent may wait for a message before it sends one. Nothing else
 * is sent to the new DID before a response. An agent without an endpoint sends first. ACA-Py ignores a message for the
 * new DID that arrives before the `ack`, as one of an unknown sender.
 */
const ping = async ({ agentContext, recipientKey }: Inbound, did: string, lane: Lane): Promise<void> => {
  const [service] = await reachableServicesOf(agentContext, did)
  if (service === undefined || recipientKey === undefined) return
  const message = new DidCommTrustPingMessage({ responseRequested: true })
  const keys = { ...service, senderKey: recipientKey }
  const payload = await agentContext.resolve(DidCommEnvelopeService).packMessage(agentContext, message, keys)
  await addToOutbox(lane, { endpoint: service.serviceEndpoint, payload: JSON.stringify(payload) }, PING_DELAY)
}

const problemReportFor = ({ id, threadId }: DidCommDidRotateMessage, error: unknown): DidCommMessage => {
  if (isAgentError(error)) throw error
  // Credo throws for services without readable keys.
  const code = error instanceof UnusableDidError ? error.code : 'e.did.doc_unsupported'
  const description = { code, en: 'the new DID cannot be used' }
  const report = new DidCommDidRotateProblemReportMessage({ description })
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
    await agentContext.resolve(DidCommDidRotateService).processHangup(inbound)
    await agentContext
      .resolve(DidCommConnectionService)
      .updateState(agentContext, connection, DidCommDidExchangeState.Abandoned)
  }
}

/** Whether the sender has ended the connection already: hang-ups are repeated. */
const isRepetition = async ({ agentContext, recipientKey, senderKey }: Inbound): Promise<boolean> => {
  if (recipientKey === undefined || senderKey === undefined) return false
  for await (const { theirDid, previousTheirDids } of connectionsOfKeys(agentContext, { senderKey, recipientKey }))
    if (theirDid === undefined && (await isKeyOf(agentContext, senderKey, previousTheirDids))) return true
  return false
}

/**
 * Completes a rotation when a key of the pending DID has authenticated a message to our key of the connection. Credo
 * calls this before the handlers.
 */
export const completeRotation: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const { agentContext, connection, recipientKey, senderKey } = inbound
  if (senderKey !== undefined && recipientKey !== undefined && !isHandshakeRequest(inbound)) {
    const rotating = connection ?? (await findRotating(agentContext, recipientKey, senderKey))
    const isPending = rotating?.isReady && pendingOf(rotating).keyFingerprints.includes(senderKey.fingerprint)
    if (isPending && !(await isOwnKey(agentContext, senderKey))) await rotate(inbound, rotating, senderKey)
  }
  await next()
}

/** The connection of our DID that rotates to a DID with the sender's key; the oldest, so that none can replace it. */
const findRotating = async (
  agentContext: AgentContext,
  recipientKey: Ed25519Key,
  senderKey: Ed25519Key,
): Promise<DidCommConnectionRecord | null> => {
  const ours = await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, recipientKey)
  if (ours === null) return null
  const rotation = rotationBetween(senderKey.fingerprint, ours.did)
  const { items } = await currentUnit().query(rotatingList(rotation), { limit: MAX_QUERY_ENTRIES })
  const [oldest] = items.map((entry) => recordKeyOf(addressOf(entry)).id)
  const id = oldest ?? (await findRotatingByKey(agentContext, senderKey, rotation))
  if (id === undefined) return null
  return agentContext.resolve(DidCommConnectionRepository).findById(agentContext, id)
}

const rotatingList = (of: string): string => tagPartition(currentUnit().tenant, connectionRecords, 'rotating', of)

/** Maximum number of DIDs of a sender: each may have been a query already. */
const MAX_DIDS = 2

/**
 * The id of a connection by an entry of an older release, which has only the new key. The entry is removed; such
 * entries are no longer written. /
 */
const findRotatingByKey = async (
  agentContext: AgentContext,
  senderKey: Ed25519Key,
  rotation: string,
): Promise<string | undefined> => {
  if ((await didsWithKey(agentContext, senderKey)).length > MAX_DIDS) return undefined
  const unit = currentUnit()
  const partition = rotatingList(senderKey.fingerprint)
  const { entries } = await unit.runRead(() => listIndexed(partition, { limit: MAX_QUERY_ENTRIES, order: 'asc' }))
  const found = entries.find(({ value }) => rotationsOf(value).includes(rotation))
  if (found === undefined) return undefined
  const id = String(found.value.id)
  unit.delete(entryAddress(partition, found.value.createdAt, id))
  return id
}

/** Whether it is a key of this agent: our own ping would complete a rotation to a DID with such a key. */
const isOwnKey = async (agentContext: AgentContext, key: Ed25519Key): Promise<boolean> =>
  (await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, key)) !== null

/**
 * Maximum number of former DIDs, from which messages may still arrive. Each is an index entry with a copy of the
 * connection, whose size the other agent influences.
 */
const MAX_FORMER_DIDS = 5

const rotate = async (inbound: Inbound, connection: DidCommConnectionRecord, senderKey: Ed25519Key): Promise<void> => {
  const { agentContext, sessionId } = inbound
  const { did } = pendingOf(connection)
  await storeTheirDid(agentContext, { did }, senderKey)
  if (expires(connection)) await expireUnlessCompleted(agentContext, connection)
  const { theirDid, previousTheirDids } = connection
  if (theirDid !== undefined) connection.previousTheirDids = [...previousTheirDids, theirDid].slice(-MAX_FORMER_DIDS)
  connection.theirDid = did
  connection.metadata.delete(PENDING_DID)
  await agentContext.resolve(DidCommConnectionService).update(agentContext, connection)
  inbound.connection = connection
  if (sessionId !== undefined)
    agentContext.resolve(DidCommTransportService).setConnectionIdForSession(sessionId, connection.id)
}
