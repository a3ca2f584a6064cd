/** What tests of invitations do again and again, over HTTP alone: two tenants, one invites, the other takes the invitation. */
import { waitFor } from '../wallet/wait.ts'
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
  /** Answer of CreateInvitation. */
  invited: Json
  /** Answer of ReceiveInvitation. */
  received: Json
  /** Completed, of each side. */
  inviters: Json
  invitees: Json
}

/** A connection of two tenants. `invitation` and `receipt` are fields of the two calls. */
export const connectTwo = async (
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
  return { invited, received, inviters, invitees }
}

/** The out-of-band record, as soon as it is in this state. */
export const recordIn = (stage: InProcessStage, caller: Caller, outOfBandId: string, state: string): Promise<Json> =>
  waitFor(`the invitation to be ${state}`, async () => {
    const record = await succeed(stage, 'getOutOfBandRecordById', caller, { path: { outOfBandId } })
    return record.state === state && record
  })

/** Delivers all that is there to be delivered. */
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
  return (await readTagged(tenantId, type, 'threadId', threadId)).map(({ value }) => value)
}
