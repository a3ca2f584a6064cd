/** Contract of the page on which a person accepts an offer of OpenID4VCI. */
import * as v from 'valibot'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, OPEN } from './contract.ts'
import { exactly } from './fields.ts'

/** What a page may show of a session: everyone with the link can read it. */
export const OfferState = v.picklist(['open', 'taken', 'issued', 'ended'])
export type OfferState = v.InferOutput<typeof OfferState>

export const ShowCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'ShowCredentialOffer',
  path: '/oid4vci/{issuerId}/pages/{issuanceSessionId}',
  summary: 'Show an offer of credentials',
  description:
    'The target of `pageUrl`: an HTML page with a QR code and a link for a wallet, or only the state if the caller asks for JSON. It does not show the PIN. ' +
    'Unknown and expired offers are the same 404.',
  parameters: { path: v.object({ issuerId: PublicId, issuanceSessionId: EntityId }) },
  pages: 'html or json',
  responses: { 200: exactly({ state: OfferState }) },
}))
