/** Contract of the page on which a person answers a request of OpenID4VP. */
import * as v from 'valibot'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, OPEN } from './contract.ts'
import { exactly } from './fields.ts'

/** What a page may show of a session: everyone with the link can read it. */
export const PageState = v.picklist(['open', 'answered', 'verified', 'ended'])
export type PageState = v.InferOutput<typeof PageState>

export const ShowPresentationRequest = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'ShowPresentationRequest',
  path: '/oid4vp/{verifierId}/requests/{verificationSessionId}',
  summary: 'Show a request for a presentation',
  description:
    'The target of `pageUrl`: an HTML page with a QR code and a link for a wallet, or only the state if the caller asks for JSON. ' +
    '`answered`: the session waits for its `responseCode`. Unknown and expired requests are the same 404.',
  parameters: { path: v.object({ verifierId: PublicId, verificationSessionId: EntityId }) },
  pages: 'html or json',
  responses: { 200: exactly({ state: PageState }) },
}))
