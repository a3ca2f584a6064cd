/** GetInvitationById: the target of the QR code of an invitation. */
import { query } from '../lib/http/query.ts'
import { OperationResponse, Page, Redirect } from '../lib/http/request.ts'
import { GetInvitationById } from '../lib/interface/pages.ts'
import { errorPage } from '../lib/pages/error-page.ts'
import { longAddress } from '../lib/pages/invitation-address.ts'
import { invitationPage } from '../lib/pages/invitation-page.ts'
import { requireInvitation } from '../lib/pages/requested-invitation.ts'

/** Aries RFC 0434, "URL Shortening", demands exactly this. */
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

export const getInvitationById = query(GetInvitationById, {
  handle: async ({ path, preferredType }) => {
    const invitation = await requireInvitation(path.invitationId)
    const json = new OperationResponse(invitation, JSON_TYPE)
    if (preferredType === 'json') return json
    const long = longAddress(invitation)
    if (long !== undefined) return new Redirect(long)
    return preferredType === 'page' ? new Page(invitationPage(invitation)) : json
  },
  errorPage,
})
