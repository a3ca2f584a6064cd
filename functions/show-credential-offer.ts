/** ShowCredentialOffer: the offer of an issuance session, as a page or as its state alone. */
import { query } from '../lib/http/query.ts'
import { Page } from '../lib/http/request.ts'
import { ShowCredentialOffer } from '../lib/interface/openid4vci-page.ts'
import { tenantOfPublicId } from '../lib/openid/public-ids.ts'
import { errorPage } from '../lib/pages/error-page.ts'
import { offerPage } from '../lib/pages/offer-page.ts'
import { requireOffer } from '../lib/pages/offered-credentials.ts'

export const showCredentialOffer = query(ShowCredentialOffer, {
  handle: async ({ path, preferredType }) => {
    const tenant = await tenantOfPublicId(path.issuerId, 'issuer')
    const offer = await requireOffer(tenant, path)
    return preferredType === 'json' ? { state: offer.state } : new Page(offerPage(offer))
  },
  errorPage,
})
