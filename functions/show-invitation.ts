/** ShowInvitation: the invitation of a URL, as a page or as JSON. */
import { query } from '../lib/http/query.ts'
import { Page } from '../lib/http/request.ts'
import { ShowInvitation } from '../lib/interface/pages.ts'
import { errorPage } from '../lib/pages/error-page.ts'
import { invitationPage } from '../lib/pages/invitation-page.ts'
import { requireUnaltered } from '../lib/pages/requested-invitation.ts'

export const showInvitation = query(ShowInvitation, {
  handle: async ({ query, preferredType }) => {
    const invitation = await requireUnaltered(query)
    return preferredType === 'json' ? invitation : new Page(invitationPage(invitation))
  },
  errorPage,
})
