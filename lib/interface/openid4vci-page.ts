/** Contract of the page on which a person takes an offer of OpenID4VCI. */
import * as v from 'valibot'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, OPEN } from './contract.ts'
import { exactly } from './fields.ts'

/** What a page may know of a session: whoever has the link sees it. */
export const OfferState = v.picklist(['open', 'taken', 'issued', 'ended'])
export type OfferState = v.InferOutput<typeof OfferState>

export const ShowCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'ShowCredentialOffer',
  path: '/oid4vci/{issuerId}/pages/{issuanceSessionId}',
  summary: 'Show an offer of credentials',
  description:
    'The target of `pageUrl`: a page for people with a QR code and a link for a wallet, or the state alone if the caller asks for JSON. It has no PIN. ' +
    'An unknown and an expired offer are the same 404.',
  parameters: { path: v.object({ issuerId: PublicId, issuanceSessionId: EntityId }) },
  pages: 'html or json',
  responses: { 200: exactly({ state: OfferState }) },
}))
