/** Finds invitations of this agent (Aries RFC 0434), and checks which connections have accepted or may reuse one. */
import { type AgentContext, CredoError, Kms, type Query } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommHandshakeReuseAcceptedMessage,
  type DidCommHandshakeReuseMessage,
  type DidCommInboundMessageContext,
  DidCommOutOfBandInvitation,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandService,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { FORMER_KEYS } from '../../records/kinds.ts'
import { currentUnit } from '../../store/transaction.ts'
import { uuidOf } from '../../uuid.ts'
import { tenantOf } from '../credo/index.ts'
import { type Ed25519Key, sealedKeys, verkeyOf } from '../keys/index.ts'

export type Invitation = DidCommOutOfBandRecord

const find = (
  agentContext: AgentContext,
  query: Query<Invitation>,
  role = DidCommOutOfBandRole.Sender,
): Promise<Invitation[]> =>
  agentContext.resolve(DidCommOutOfBandRepository).findByQuery(agentContext, { ...query, role })

export const findInvitation = async (
  agentContext: AgentContext,
  invitationId: string,
): Promise<Invitation | undefined> => (await find(agentContext, { invitationId }))[0]

/** The newest record of an invitation that this agent has received. */
export const lastReceived = async (agentContext: AgentContext, invitationId: string): Promise<Invitation | null> =>
  (await find(agentContext, { invitationId }, DidCommOutOfBandRole.Receiver)).at(-1) ?? null

/** The invitation whose attached request has this thread. */
export const findInvitationOfRequest = async (
  agentContext: AgentContext,
  threadId: string,
): Promise<Invitation | undefined> => (await find(agentContext, { invitationRequestsThreadIds: [threadId] }))[0]

/** Whether a message was packed by a key of the received invitation whose attached request has this thread. */
export const isOfInviter = async (inbound: DidCommInboundMessageContext, threadId: string): Promise<boolean> => {
  if (inbound.senderKey === undefined) return false
  const query = { invitationRequestsThreadIds: [threadId] }
  const received = await find(inbound.agentContext, query, DidCommOutOfBandRole.Receiver)
  return received.some((invitation) => isPackedBy(invitation, inbound))
}

/** Whether a message was packed by a key of the invitation. */
const isPackedBy = (invitation: Invitation, { senderKey }: DidCommInboundMessageContext): boolean =>
  senderKey !== undefined && keysOf(invitation).includes(senderKey.fingerprint)

/** Whether a message was packed by a key of the invitation that a connection was made from. */
export const isOfInviterOf = async (
  inbound: DidCommInboundMessageContext,
  { outOfBandId }: DidCommConnectionRecord,
): Promise<boolean> => {
  if (outOfBandId === undefined) return false
  const { agentContext } = inbound
  const invitation = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  return invitation !== null && isPackedBy(invitation, inbound)
}

const nextInvitation = () => currentUnit().moduleState(setNextInvitationId, (): { id?: string } => ({}))

/** Sets the id of the next invitation that this unit of work stores: Credo has no option for it. */
export const setNextInvitationId = (id: string): void => {
  nextInvitation().id = id
}

/** Called before an invitation is stored. */
export const applyInvitationId = ({ outOfBandInvitation }: Invitation): void => {
  const next = nextInvitation()
  outOfBandInvitation.id = next.id ?? outOfBandInvitation.id
  delete next.id
}

/**
 * Adds the invitation's id to its new keys. Existing keys are not changed: an index finds the invitation by those. /
 */
export const addInvitationToKeys = (agentContext: AgentContext, invitation: Invitation): void => {
  const former = keysOf(invitation).filter(
    (fingerprint) => !sealedKeys.addPurpose(agentContext, keyIdOf(fingerprint), { outOfBandId: invitation.id }),
  )
  if (former.length > 0) invitation.setTag(FORMER_KEYS, former)
}

/** Id of an Ed25519 key of this agent, from its fingerprint. */
const keyIdOf = (fingerprint: string): string => {
  const key = Kms.PublicJwk.fromFingerprint(fingerprint)
  return key.is(Kms.Ed25519PublicJwk) ? verkeyOf(key) : fingerprint
}

/** Invitations of this agent with a key. */
export const findInvitationsOfKey = async (agentContext: AgentContext, key: Ed25519Key): Promise<Invitation[]> => {
  const query = { [FORMER_KEYS]: [key.fingerprint] }
  const { outOfBandId } = (await sealedKeys.purposeOf(agentContext, verkeyOf(key))) ?? {}
  if (outOfBandId === undefined) return find(agentContext, query)
  const { type } = DidCommOutOfBandRecord
  // One request reads the record with those that the index finds.
  await currentUnit().find(tenantOf(agentContext), type, { ...query }, [{ type, id: outOfBandId }])
  const first = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  return [...(first === null ? [] : [first]), ...(await find(agentContext, query))]
}

/** Invitation ids by the recipient key of a connection request: Credo passes on the key, but not the message. */
const invitationIdsByKey = () => currentUnit().moduleState(findInvitationsOfKey, () => new Map<string, string>())

/** Remembers the invitation that a request of connections/1.0 names and was sent to. */
export const rememberInvitationOfKey = (recipientKey: Ed25519Key, invitationId: string): void => {
  invitationIdsByKey().set(recipientKey.fingerprint, invitationId)
}

/** The invitation that a request of connections/1.0 was sent to. Several invitations may have the same key. */
export const invitationOfKey = async (
  agentContext: AgentContext,
  recipientKey: Ed25519Key,
): Promise<Invitation | null> => {
  const named = invitationIdsByKey().get(recipientKey.fingerprint)
  if (named !== undefined) return (await findInvitation(agentContext, named)) ?? null
  const [only = null, ...others] = await findInvitationsOfKey(agentContext, recipientKey)
  return others.length === 0 ? only : null
}

const keysOf = (invitation: Invitation): string[] => invitation.getTags().recipientKeyFingerprints

/** Whether the connection was made from the invitation, or reused for it. */
export const isAcceptedBy = (invitation: Invitation, connection: DidCommConnectionRecord): boolean =>
  connection.outOfBandId === invitation.id || invitation.reuseConnectionId === connection.id

/** Whether a message was sent to a key of the invitation. */
export const isAddressedTo = (invitation: Invitation, { recipientKey }: DidCommInboundMessageContext): boolean =>
  recipientKey !== undefined && keysOf(invitation).includes(recipientKey.fingerprint)

export const isUnused = ({ state }: Invitation): boolean => state === DidCommOutOfBandState.AwaitResponse

/** Marks an invitation as used, with or without a connection. A multi-use invitation does not change. */
export const markUsed = async (
  agentContext: AgentContext,
  invitation: Invitation,
  connection?: DidCommConnectionRecord,
): Promise<void> => {
  if (invitation.reusable) return
  if (connection !== undefined) invitation.reuseConnectionId = connection.id
  await agentContext.resolve(DidCommOutOfBandService).updateState(agentContext, invitation, DidCommOutOfBandState.Done)
}

/**
 * Whether a connection may be reused for an invitation: it was made from an invitation with the same DID of this agent.
 * Aries RFC 0434, "Reuse Messages": the invitee knows the inviter by the DID in the invitation.
 */
export const mayReuse = async (
  agentContext: AgentContext,
  invitation: Invitation,
  { outOfBandId }: DidCommConnectionRecord,
): Promise<boolean> => {
  if (outOfBandId === undefined) return false
  const first = await agentContext.resolve(DidCommOutOfBandRepository).findById(agentContext, outOfBandId)
  return first !== null && keysOf(first).some((key) => keysOf(invitation).includes(key))
}

/**
 * Marks the invitation as used, and lets the connection answer its attached request. Credo rejects reuse for an
 * invitation with a request. Throws a CredoError if the invitation is unknown, used already, or of another DID.
 */
export const reuseConnection = async (
  inbound: DidCommInboundMessageContext<DidCommHandshakeReuseMessage>,
): Promise<DidCommHandshakeReuseAcceptedMessage> => {
  const { agentContext, message } = inbound
  const connection = inbound.assertReadyConnection()
  const parentThreadId = message.thread?.parentThreadId
  if (parentThreadId === undefined) throw new CredoError('the message names no invitation')
  const invitation = await findInvitation(agentContext, parentThreadId)
  if (invitation === undefined) throw new CredoError('there is no such invitation')
  invitation.assertState(DidCommOutOfBandState.AwaitResponse)
  if (!(await mayReuse(agentContext, invitation, connection)))
    throw new CredoError('the connection is not with the DID of the invitation')
  await markUsed(agentContext, invitation, connection)
  return new DidCommHandshakeReuseAcceptedMessage({ threadId: message.threadId, parentThreadId })
}

/**
 * The one record for all requests to a DID. Credo would create one for each, with the DID's key, by which invitations
 * are found. Such requests wait to be accepted.
 */
export const implicitInvitation = async (
  agentContext: AgentContext,
  { did, handshakeProtocols }: { did: string; handshakeProtocols: string[] },
): Promise<Invitation> => {
  const known = await findInvitation(agentContext, did)
  if (known !== undefined) return known
  const record = new DidCommOutOfBandRecord({
    // Concurrent requests find the same record.
    id: uuidOf(`${DidCommOutOfBandRecord.type} ${did}`),
    role: DidCommOutOfBandRole.Sender,
    state: DidCommOutOfBandState.AwaitResponse,
    reusable: true,
    autoAcceptConnection: false,
    outOfBandInvitation: new DidCommOutOfBandInvitation({ id: did, services: [did], handshakeProtocols }),
  })
  await agentContext.resolve(DidCommOutOfBandRepository).save(agentContext, record)
  return record
}

/**
 * Gives keys of DIDs their id: the public key in base58 (docs/adr/0010-a-key-has-the-id-that-envelopes-name-it-by.md),
 * which Credo calls the legacy key id.
 */
export const withKeyIds = <Service extends { recipientKeys: Ed25519Key[] }>(service: Service): Service => {
  for (const key of service.recipientKeys) if (!key.hasKeyId) key.keyId = key.legacyKeyId
  return service
}
