/** Receives other agents' invitations (Aries RFC 0434), each only once, and accepts them now or by a later call. */
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommOutOfBandInvitation,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { AgentError, invalidField } from '../../errors.ts'
import { defined } from '../../json.ts'
import { type RecordJson, toRecordJson } from '../../records/record-json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { uuidOf } from '../../uuid.ts'
import { currentAgent, type TenantAgent, toStored } from '../credo/index.ts'
import { findOwnDid } from '../dids/index.ts'
import { type Acceptance, accept, handshakeOf } from './accepted-invitations.ts'
import { requestOf } from './attached-requests.ts'
import { type ReadInvitation, readInvitation } from './read-invitation.ts'
import { removeUnusableServices, usableServices } from './usable-services.ts'

interface ReceivedResponse {
  outOfBandRecord: RecordJson
  connectionRecord?: RecordJson
}

interface Receipt extends Acceptance {
  autoAcceptInvitation: boolean
}

type Message = Parameters<typeof readInvitation>[0]

/**
 * Stores an invitation and accepts it if `autoAcceptInvitation` is set, in the running unit of work. `path` is the
 * body's field of the invitation. Throws `request.invalid`, `invitation.received`, and the errors of accepting.
 */
export const storeInvitation = async (message: Message, receipt: Receipt, path: string): Promise<ReceivedResponse> => {
  const agent = await currentAgent()
  const read = readInvitation(message, path)
  const id = await newRecordId(agent, read.invitation, path)
  if (handshakeOf(read.invitation) === undefined && requestOf(agent.context, read.invitation) === undefined)
    throw invalidField(path, 'must offer a handshake, or contain a request that this agent supports')
  const record = await store(agent, id, read, receipt)
  if (!receipt.autoAcceptInvitation) return toResponse(agent, record)
  return toResponse(agent, record, await accept(agent, record, receipt, path))
}

/**
 * Accepts a waiting invitation in the running unit of work. Throws `resource.not_found`, `invitation.out_of_turn`, and
 * the errors of accepting.
 */
export const acceptStoredInvitation = async (
  outOfBandId: string,
  acceptance: Acceptance,
): Promise<ReceivedResponse> => {
  const agent = await currentAgent()
  const record = await agent.context.resolve(DidCommOutOfBandRepository).findById(agent.context, outOfBandId)
  if (record === null) throw new AgentError('resource.not_found', 'there is no such record')
  if (record.role !== DidCommOutOfBandRole.Receiver)
    throw new AgentError('invitation.out_of_turn', 'the invitation was not received by this agent')
  if (record.state !== DidCommOutOfBandState.Initial && !isReusing(record))
    throw new AgentError('invitation.out_of_turn', `the invitation does not wait: its state is ${record.state}`)
  await removeUnusableServices(agent, record)
  return toResponse(agent, record, await accept(agent, record, acceptance, 'outOfBandId'))
}

/**
 * Requests a connection from the agent of a public DID, in the running unit of work (Aries RFC 0434, "implicit
 * invitation"). Throws `request.invalid`, and the errors of accepting.
 */
export const connectToPublicDid = async (did: string, acceptance: Acceptance): Promise<ReceivedResponse> => {
  const agent = await currentAgent()
  if ((await findOwnDid(agent, did)) !== undefined) throw invalidField('did', 'must not be a DID of this agent')
  const invitation = new DidCommOutOfBandInvitation({
    id: did,
    services: [did],
    handshakeProtocols: ['https://didcomm.org/didexchange/1.1'],
  })
  const { keys } = await usableServices(agent, [did], ['did'])
  const record = newRecord(invitation, keys, acceptance)
  await agent.context.resolve(DidCommOutOfBandRepository).save(agent.context, record)
  return toResponse(agent, record, await accept(agent, record, acceptance, 'did'))
}

const toResponse = (
  { context }: TenantAgent,
  record: DidCommOutOfBandRecord,
  connection?: DidCommConnectionRecord,
): ReceivedResponse => ({
  outOfBandRecord: toRecordJson(toStored(context, record)),
  ...(connection && { connectionRecord: toRecordJson(toStored(context, connection)) }),
})

/**
 * The id for a new record. It is derived from the invitation's id: of two concurrent calls the second finds the record
 * of the first. Throws `invitation.received` if the invitation was received before, unless its connection was deleted.
 */
const newRecordId = async (agent: TenantAgent, { id }: DidCommOutOfBandInvitation, path: string): Promise<string> => {
  const { context } = agent
  const known = await context.resolve(DidCommOutOfBandRepository).findByQuery(context, { invitationId: id })
  if (known.some(({ role }) => role === DidCommOutOfBandRole.Sender))
    throw invalidField(path, 'must not be an invitation of this agent')
  const last = known.at(-1)
  if (last !== undefined) await assertConnectionDeleted(agent, last)
  let next = uuidOf(`${currentUnit().tenant}|${id}`)
  while (known.some((record) => record.id === next)) next = uuidOf(`${currentUnit().tenant}|${id}|${next}`)
  return next
}

/** Throws `invitation.received` unless the connection of an invitation was deleted; an abandoned one still exists. */
const assertConnectionDeleted = async ({ context }: TenantAgent, record: DidCommOutOfBandRecord): Promise<void> => {
  const { id, state, reuseConnectionId, outOfBandInvitation } = record
  const connections = context.resolve(DidCommConnectionRepository)
  const [connection] =
    reuseConnectionId === undefined
      ? await connections.findByQuery(context, { outOfBandId: id })
      : [await connections.findById(context, reuseConnectionId)]
  const waits = state === DidCommOutOfBandState.Initial || isReusing(record)
  if (!connection && !waits && handshakeOf(outOfBandInvitation) !== undefined) return
  const named = connection ? `, its connection ${connection.id} (${connection.state})` : ''
  throw new AgentError('invitation.received', `the invitation was received before: its record is ${id}${named}`)
}

/** The handshake reuse was not answered: the other agent may have lost that connection. */
const isReusing = ({ state, reuseConnectionId }: DidCommOutOfBandRecord): boolean =>
  state === DidCommOutOfBandState.PrepareResponse && reuseConnectionId !== undefined

const store = async (
  agent: TenantAgent,
  id: string,
  { invitation, servicePaths, origin }: ReadInvitation,
  receipt: Receipt,
): Promise<DidCommOutOfBandRecord> => {
  const usable = await usableServices(agent, invitation.getServices(), servicePaths)
  Object.assign(invitation, { services: usable.services })
  const record = newRecord(invitation, usable.keys, receipt)
  record.id = id
  if (origin !== undefined) record.metadata.set('_internal/legacyInvitation', { legacyInvitationType: origin })
  await agent.context.resolve(DidCommOutOfBandRepository).save(agent.context, record)
  return record
}

const newRecord = (
  outOfBandInvitation: DidCommOutOfBandInvitation,
  recipientKeyFingerprints: string[],
  { alias, autoAcceptConnection }: Acceptance,
): DidCommOutOfBandRecord =>
  new DidCommOutOfBandRecord({
    role: DidCommOutOfBandRole.Receiver,
    state: DidCommOutOfBandState.Initial,
    outOfBandInvitation,
    autoAcceptConnection,
    tags: { recipientKeyFingerprints },
    ...defined({ alias }),
  })
