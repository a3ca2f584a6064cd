/** Two tenants of a stage, by its operations alone: one invites, the other accepts the invitation, and waits for both. */
import { DidCommMessageRepository, DidCommMessageRole } from '@credo-ts/didcomm'
import { credentialRecords, proofRecords } from '../../lib/records/kinds.ts'
import { waitFor } from '../wallet/wait.ts'
import { inTenant } from './anoncreds/world.ts'
import type { Caller, InProcessStage, Json, OperationName } from './stage/in-process-stage.ts'

/** Calls an operation that is expected to succeed. Returns the body of the answer. */
export const succeed = async (
  stage: InProcessStage,
  operation: OperationName,
  caller: Caller,
  call: { path?: Record<string, string>; query?: Record<string, string>; body?: unknown } = {},
): Promise<Json> => {
  const { status, body } = await stage.call(operation, { caller, ...call })
  if (status > 299) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
  return body
}

export interface InvitationOptions {
  multiUseInvitation?: boolean
  autoAcceptConnection?: boolean
  alias?: string
}

export interface Invited {
  outOfBandId: string
  invitationUrl: string
  invitation: Json
  invitationDid: string
}

/** An invitation of a tenant to connect, and nothing more. */
export const inviteToConnect = async (
  stage: InProcessStage,
  caller: Caller,
  options: InvitationOptions = {},
): Promise<Invited> => {
  const invited = await succeed(stage, 'createInvitation', caller, { body: options })
  return { ...invited, outOfBandId: invited.outOfBandRecord.id }
}

/** Accepts an invitation as a tenant. Resolves to its connection's id. */
export const takeInvitation = async (
  stage: InProcessStage,
  caller: Caller,
  invitationUrl: string,
  options: InvitationOptions = {},
): Promise<string> => {
  const received = await succeed(stage, 'receiveInvitationUrl', caller, { body: { invitationUrl, ...options } })
  return received.connectionRecord.id
}

/** The connection of an out-of-band record in this state. */
export const connectionOf = (
  stage: InProcessStage,
  caller: Caller,
  outOfBandId: string,
  state = 'completed',
): Promise<Json> =>
  waitFor(`the connection to be ${state}`, async () => {
    const [connection] = await succeed(stage, 'getConnections', caller, { query: { outOfBandId } })
    return connection?.state === state && connection
  })

export interface Taken {
  /** Of the inviter's connection. */
  connectionId: string
  /** Answer of CreateInvitation. */
  invited: Json
  /** Answer of ReceiveInvitation. */
  received: Json
  /** Completed, of each side. */
  inviters: Json
  invitees: Json
}

/** A connection of two tenants. `invitation` and `receipt` are fields of the two calls. */
export const connectTenants = async (
  stage: InProcessStage,
  inviter: Caller,
  invitee: Caller,
  { invitation = {}, receipt = {} }: { invitation?: object; receipt?: object } = {},
): Promise<Taken> => {
  const invited = await succeed(stage, 'createInvitation', inviter, { body: invitation })
  const body = { invitation: invited.invitation, ...receipt }
  const received = await succeed(stage, 'receiveInvitation', invitee, { body })
  const inviters = await connectionOf(stage, inviter, invited.outOfBandRecord.id)
  const invitees = await connectionOf(stage, invitee, received.outOfBandRecord.id)
  return { connectionId: inviters.id, invited, received, inviters, invitees }
}

/** The out-of-band record, as soon as it is in this state. */
export const recordIn = (stage: InProcessStage, caller: Caller, outOfBandId: string, state: string): Promise<Json> =>
  waitFor(`the invitation to be ${state}`, async () => {
    const record = await succeed(stage, 'getOutOfBandRecordById', caller, { path: { outOfBandId } })
    return record.state === state && record
  })

/** Delivers all messages and events. */
export const settled = async ({ line }: InProcessStage): Promise<void> => {
  await line.pause()
  await line.settle()
  line.run()
}

/** Exchanges of an agent by their thread, as they are stored. `type`: of the record. */
export const exchangesOf = async (
  { tenantId }: { tenantId: string },
  type: 'ProofRecord' | 'CredentialRecord',
  threadId: string,
): Promise<Json[]> => {
  const { readTagged } = await import('../../lib/store/record-reads.ts')
  const records = type === 'ProofRecord' ? proofRecords : credentialRecords
  return (await readTagged(tenantId, records, 'threadId', threadId)).map(({ value }) => value)
}

/** The last message that a tenant has received in an exchange, as JSON. */
export const lastMessage = ({ tenantId }: { tenantId: string }, associatedRecordId: string): Promise<Json> =>
  inTenant(tenantId, async ({ context }) => {
    const query = { associatedRecordId, role: DidCommMessageRole.Receiver }
    const received = await context.resolve(DidCommMessageRepository).findByQuery(context, query)
    return received.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).at(-1)?.message
  })
