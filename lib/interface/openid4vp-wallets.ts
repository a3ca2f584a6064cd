/** Contracts of what wallets call at a verifier (OpenID4VP 1.0, sections 5 and 8), without a token. */
import * as v from 'valibot'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { text } from './fields.ts'

const OfSession = v.object({ verifierId: PublicId, verificationSessionId: EntityId })

const REQUEST_OBJECT = {
  path: '/oid4vp/{verifierId}/authorization-requests/{verificationSessionId}',
  security: 'none',
  writes: true,
  errors: 'oauth',
  contentType: 'application/oauth-authz-req+jwt',
  responses: { 200: v.string() },
  errorStatuses: [404],
} as const

export const GetRequestObject = /* @__PURE__ */ defineContract(() => ({
  ...REQUEST_OBJECT,
  method: 'GET',
  operationId: 'GetRequestObject',
  summary: 'Read the signed request',
  description: 'A request can be read until it is answered or expires.',
  parameters: { path: OfSession },
}))

export const PostRequestObject = /* @__PURE__ */ defineContract(() => ({
  ...REQUEST_OBJECT,
  method: 'POST',
  operationId: 'PostRequestObject',
  summary: 'Read the signed request, with a nonce of the wallet in it',
  parameters: { path: OfSession },
  bodyFormat: 'form',
  body: v.object({ wallet_nonce: v.optional(text(512)), wallet_metadata: v.optional(text(65_536)) }),
}))

export const ReceivePresentation = /* @__PURE__ */ defineContract(() => ({
  method: 'POST',
  path: '/oid4vp/{verifierId}/authorize',
  operationId: 'ReceivePresentation',
  summary: 'Receive the response of a wallet',
  security: 'none',
  writes: true,
  errors: 'oauth',
  parameters: { path: v.object({ verifierId: PublicId }), query: v.object({ session: EntityId }) },
  bodyFormat: 'form',
  body: v.object({
    response: v.optional(v.string()),
    vp_token: v.optional(v.string()),
    state: v.optional(v.string()),
    error: v.optional(v.string()),
    error_description: v.optional(v.string()),
  }),
  responses: { 200: v.looseObject({ redirect_uri: v.optional(v.string()) }) },
  errorStatuses: [404],
}))
