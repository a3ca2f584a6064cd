/** GetInvitationById: the target of the QR code of an invitation. */
import { query } from '../lib/http/query.ts'
import { Page, Redirect } from '../lib/http/request.ts'
import { GetInvitationById } from '../lib/interface/pages.ts'
import { errorPage } from '../lib/pages/error-page.ts'
import { longAddress } from '../lib/pages/invitation-address.ts'
import { invitationPage } from '../lib/pages/invitation-page.ts'
import { requireInvitation } from '../lib/pages/requested-invitation.ts'

export const getInvitationById = query(GetInvitationById, {
  handle: async ({ path, preferredType }) => {
    const invitation = await requireInvitation(path.invitationId)
    if (preferredType === 'json') return invitation
    const long = longAddress(invitation)
    if (long !== undefined) return new Redirect(long)
    return preferredType === 'page' ? new Page(invitationPage(invitation)) : invitation
  },
  errorPage,
})
