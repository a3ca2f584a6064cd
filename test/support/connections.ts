/** Connections between a tenant and others, made through the agent's own API where no operation is about them. */
import { waitFor } from '../wallet/wait.ts'
import { inTenant } from './anoncreds/world.ts'
import type { InProcessStage, Json } from './stage/in-process-stage.ts'

interface Tenant {
  tenantId: string
}

export interface InvitationOptions {
  multiUseInvitation?: boolean
  autoAcceptConnection?: boolean
  alias?: string
}

/** An invitation of a tenant to connect, and nothing more. */
export const inviteToConnect = async (stage: InProcessStage, { tenantId }: Tenant, options: InvitationOptions = {}) => {
  const { freshPeerDid } = await import('../../lib/agent/dids.ts')
  return inTenant(tenantId, async (agent) => {
    const invitationDid = await freshPeerDid(agent)
    const { outOfBandInvitation, id } = await agent.didcomm.oob.createInvitation({
      label: 'Tenant',
      invitationDid,
      ...options,
    })
    const invitationUrl = outOfBandInvitation.toUrl({ domain: stage.publicUrl })
    return { outOfBandId: id, invitationUrl, invitation: outOfBandInvitation.toJSON() as Json, invitationDid }
  })
}

/** Takes an invitation as a tenant. Resolves to its connection's id. */
export const takeInvitation = ({ tenantId }: Tenant, url: string, options: InvitationOptions = {}): Promise<string> =>
  inTenant(tenantId, async ({ didcomm }) => {
    const { connectionRecord } = await didcomm.oob.receiveInvitationFromUrl(url, { label: 'Other tenant', ...options })
    if (connectionRecord === undefined) throw new Error('the invitation asks for no connection')
    return connectionRecord.id
  })

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
