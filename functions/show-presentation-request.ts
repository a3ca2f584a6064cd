/** ShowPresentationRequest: the request of a verification session, as a page or as its state alone. */
import { query } from '../lib/http/query.ts'
import { Page } from '../lib/http/request.ts'
import { ShowPresentationRequest } from '../lib/interface/openid4vp-page.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { errorPage } from '../lib/pages/error-page.ts'
import { presentationPage } from '../lib/pages/presentation-page.ts'
import { requirePresentationRequest } from '../lib/pages/requested-presentation.ts'

export const showPresentationRequest = query(ShowPresentationRequest, {
  handle: async ({ path, preferredType }) => {
    const tenant = await tenantOfPublicId(path.verifierId, 'verifier')
    const request = await requirePresentationRequest(tenant, path)
    return preferredType === 'json' ? { state: request.state } : new Page(presentationPage(request))
  },
  errorPage,
})
