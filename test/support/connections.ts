/** Connections between a tenant and others: invitations to connect, taken, and waited for. */
import { waitFor } from '../wallet/wait.ts'
import type { InProcessStage, Json } from './stage/in-process-stage.ts'

interface Tenant {
  tenantId: string
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
  caller: Tenant,
  options: InvitationOptions = {},
): Promise<Invited> => {
  const { body } = await stage.call('createInvitation', { caller, body: options })
  return { ...body, outOfBandId: body.outOfBandRecord.id }
}

/** Takes an invitation as a tenant. Resolves to its connection's id. */
export const takeInvitation = async (
  stage: InProcessStage,
  caller: Tenant,
  invitationUrl: string,
  options: InvitationOptions = {},
): Promise<string> => {
  const { body } = await stage.call('receiveInvitationUrl', { caller, body: { invitationUrl, ...options } })
  return body.connectionRecord.id
}

/** The connection that came of an invitation, as soon as it is in this state. */
export const connectionIn = (
  stage: InProcessStage,
  caller: Tenant,
  query: Record<string, string>,
  state: string,
): Promise<Json> =>
  waitFor(`a connection that is ${state}`, async () => {
    const { body } = await stage.call('getConnections', { caller, query })
    return body.find((one: Json) => one.state === state)
  })
