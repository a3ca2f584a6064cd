/** A connection between two tenants of the stage. */
import { waitFor } from '../../wallet/wait.ts'
import type { InProcessStage, Json } from '../stage/in-process-stage.ts'
import { inTenant } from './world.ts'

interface Tenant {
  tenantId: string
}

/** One invites, the other takes the invitation. Resolves to the connection of each of them. */
export const connectTenants = async (
  stage: InProcessStage,
  inviter: Tenant,
  invitee: Tenant,
): Promise<{ connectionId: string; inviteesConnectionId: string }> => {
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
  const [ours, theirs] = [await completed(inviter, invitation.id), await completed(invitee, taken.outOfBandRecord.id)]
  return { connectionId: ours.id, inviteesConnectionId: theirs.id }
}
