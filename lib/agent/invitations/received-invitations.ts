/** Receives other agents' invitations (Aries RFC 0434), each only once, and accepts them at once or by a later call. */
import {
  type DidCommConnectionRecord,
  DidCommOutOfBandInvitation,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { AgentError, invalidField, isAgentError } from '../../errors.ts'
import { defined } from '../../json.ts'
import { type RecordJson, toRecordJson } from '../../records/record-json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { uuidOf } from '../../uuid.ts'
import { currentAgent, type TenantAgent, toStored } from '../credo/index.ts'
import { findOwnDid, reachableKeysOf } from '../dids/index.ts'
import { invalidDocumentReason, unreadDocument } from '../web/index.ts'
import { type Acceptance, accept, handshakeOf } from './accepted-invitations.ts'
import { requestOf } from './attached-requests.ts'
import { type ReadInvitation, readInvitation } from './read-invitation.ts'

interface ReceivedResponse {
  outOfBandRecord: RecordJson
  connectionRecord?: RecordJson
}

interface Receipt extends Acceptance {
  autoAcceptInvitation: boolean
}

type Message = Parameters<typeof readInvitation>[0]

/**
 * Stores an invitation and, unless it has to wait, accepts it, in the running unit of work. `path` is the body's field
 * of the invitation. Throws `request.invalid`, `invitation.received`, and the errors of accepting.
 */
export const storeInvitation = async (message: Message, receipt: Receipt, path: string): Promise<ReceivedResponse> => {
  const agent = await currentAgent()
  const read = readInvitation(message, path)
  await assertNew(agent, read.invitation, path)
  if (handshakeOf(read.invitation) === undefined && requestOf(agent.context, read.invitation) === undefined)
    throw invalidField(path, 'must offer a handshake, or contain a request that this agent supports')
  const record = await store(agent, read, receipt, path)
  if (!receipt.autoAcceptInvitation) return toResponse(agent, record)
  return toResponse(agent, record, await accept(agent, record, receipt, path))
}

/**
 * The same for the invitation of a URL, undefined if there is none. All faults of the invitation are one error without
 * details.
 */
export const storeInvitationOfUrl = async (
  message: Message | undefined,
  receipt: Receipt,
): Promise<ReceivedResponse> => {
  if (message === undefined) throw noInvitation()
  return storeInvitation(message, receipt, ADDRESS).catch((error) => {
    const isOfInvitation = isAgentError(error) && error.details?.some(({ path }) => path.startsWith(ADDRESS))
    throw isOfInvitation ? noInvitation() : error
  })
}

const ADDRESS = 'invitationUrl'

const noInvitation = () => invalidField(ADDRESS, 'must lead to an invitation that this agent can accept')

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
    throw new AgentError('invitation.out_of_turn', 'the invitation is not a received one')
  // The handshake reuse was not answered: the other agent may have lost that connection.
  const isReusing = record.state === DidCommOutOfBandState.PrepareResponse && record.reuseConnectionId !== undefined
  if (record.state !== DidCommOutOfBandState.Initial && !isReusing)
    throw new AgentError('invitation.out_of_turn', `the invitation does not wait: its state is ${record.state}`)
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
  const record = newRecord(invitation, await keysOf(agent, did, 'did'), acceptance)
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

const assertNew = async ({ context }: TenantAgent, { id }: DidCommOutOfBandInvitation, path: string): Promise<void> => {
  const [known] = await context.resolve(DidCommOutOfBandRepository).findByQuery(context, { invitationId: id })
  if (known?.role === DidCommOutOfBandRole.Sender) throw invalidField(path, 'must not be an invitation of this agent')
  if (known !== undefined)
    throw new AgentError('invitation.received', `the invitation was received before: its record is ${known.id}`)
}

const store = async (
  agent: TenantAgent,
  { invitation, origin }: ReadInvitation,
  receipt: Receipt,
  path: string,
): Promise<DidCommOutOfBandRecord> => {
  const keys = new Set<string>()
  for (const [index, service] of invitation.getServices().entries())
    for (const key of typeof service === 'string'
      ? await keysOf(agent, service, `${path}.services.${index}`)
      : service.resolvedDidCommService.recipientKeys.map(({ fingerprint }) => fingerprint))
      keys.add(key)
  const record = newRecord(invitation, [...keys], receipt)
  // Derived from the invitation's id: of two concurrent calls the second finds the record of the first.
  record.id = uuidOf(`${currentUnit().tenant}|${invitation.id}`)
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

const keysOf = async ({ context }: TenantAgent, did: string, path: string): Promise<string[]> => {
  let reason: string | undefined
  const keys = await reachableKeysOf(context, did).catch((error) => {
    reason = invalidDocumentReason(error)
    return []
  })
  if (keys.length > 0) return keys
  const message = 'must be a DID that can be resolved and has a usable endpoint'
  throw unreadDocument() ?? invalidField(path, reason === undefined ? message : `${message}: ${reason}`)
}
