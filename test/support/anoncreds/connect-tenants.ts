/** A connection between two tenants of the stage. */
import { waitFor } from '../../wallet/wait.ts'
import type { InProcessStage, Json } from '../stage/in-process-stage.ts'
import { inTenant } from './world.ts'

interface Tenant {
  tenantId: string
}

/** One invites, the other takes the invitation. Resolves, when both have the connection, to the inviter's. */
export const connectTenants = async (
  stage: InProcessStage,
  inviter: Tenant,
  invitee: Tenant,
): Promise<{ connectionId: string }> => {
  const invitation = await inTenant(inviter.tenantId, async ({ didcomm }) => {
    const { outOfBandInvitation, id } = await didcomm.oob.createInvitation({ label: 'Tenant' })
    return { id, url: outOfBandInvitation.toUrl({ domain: stage.publicUrl }) }
  })
  const taken = await inTenant(invitee.tenantId, ({ didcomm }) =>
    didcomm.oob.receiveInvitationFromUrl(invitation.url, { label: 'Other tenant' }),
  )
  const completed = (caller: Tenant, outOfBandId: string): Promise<Json> =>
    waitFor('the connection to be completed', async () => {
      const { body } = await stage.call('getConnections', { caller, query: { outOfBandId } })
      return body[0]?.state === 'completed' && body[0]
    })
  await completed(invitee, taken.outOfBandRecord.id)
  const { id: connectionId } = await completed(inviter, invitation.id)
  return { connectionId }
}
