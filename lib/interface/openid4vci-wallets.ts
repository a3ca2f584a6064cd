/** Contracts of what wallets and verifiers call at an issuer (OpenID4VCI 1.0), without a token of ours. */
import * as v from 'valibot'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract, OPEN } from './contract.ts'
import { text } from './fields.ts'

const OfIssuer = v.object({ issuerId: PublicId })

const DocumentName = v.pipe(text(128), v.regex(/^[A-Za-z0-9_][A-Za-z0-9._~-]*$/, 'must be of A-Z a-z 0-9 . _ ~ -'))
const OfDocument = v.object({ issuerId: PublicId, name: DocumentName })

const AnyDocument = v.record(v.string(), v.unknown())

const WELL_KNOWN = { ...OPEN, contentType: 'application/json', responses: { 200: AnyDocument } } as const

export const GetWellKnown = /* @__PURE__ */ defineContract(() => ({
  ...WELL_KNOWN,
  operationId: 'GetWellKnown',
  path: '/.well-known/{name}/oid4vci/{issuerId}',
  summary: 'Read the metadata of an issuer, of its authorization server, or of its keys',
  description:
    '`openid-credential-issuer` (OpenID4VCI 1.0, section 12.2.2), `oauth-authorization-server` (RFC 8414, section 3.1) or `jwt-vc-issuer` (SD-JWT VC, section 4).',
  parameters: { path: OfDocument },
}))

export const GetWellKnownOfIssuer = /* @__PURE__ */ defineContract(() => ({
  ...WELL_KNOWN,
  operationId: 'GetWellKnownOfIssuer',
  path: '/oid4vci/{issuerId}/.well-known/{name}',
  summary: 'Read the same metadata at the address that older wallets use',
  parameters: { path: OfDocument },
}))

export const GetIssuerKeys = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetIssuerKeys',
  path: '/oid4vci/{issuerId}/jwks',
  summary: 'Read the keys that sign credentials',
  contentType: 'application/jwk-set+json',
  parameters: { path: OfIssuer },
  responses: { 200: AnyDocument },
}))

export const GetCredentialType = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetCredentialType',
  path: '/oid4vci/{issuerId}/types/{name}',
  summary: 'Read the metadata of a type of credentials',
  description: 'SD-JWT VC, section 5. A `vct` below the public URL is this address.',
  contentType: 'application/json',
  parameters: { path: OfDocument },
  responses: { 200: AnyDocument },
}))

export const GetStatusList = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetStatusList',
  path: '/oid4vci/{issuerId}/status/{listId}',
  summary: 'Read a status list',
  description:
    'A Token Status List of two bits for each credential: valid, revoked, suspended. Caches may keep it for 300 s.',
  contentType: 'application/statuslist+jwt',
  parameters: { path: v.object({ issuerId: PublicId, listId: EntityId }) },
  responses: { 200: v.string() },
}))

export const GetCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...OPEN,
  operationId: 'GetCredentialOffer',
  path: '/oid4vci/{issuerId}/offers/{issuanceSessionId}',
  summary: 'Read an offer',
  description: 'An offer can be read until it is accepted or expires.',
  writes: true,
  contentType: 'application/json',
  parameters: { path: v.object({ issuerId: PublicId, issuanceSessionId: EntityId }) },
  responses: { 200: AnyDocument },
}))

/** What wallets post. */
const POSTED = { ...OPEN, method: 'POST', errors: 'oauth', parameters: { path: OfIssuer } } as const

export const RequestToken = /* @__PURE__ */ defineContract(() => ({
  ...POSTED,
  operationId: 'RequestToken',
  path: '/oid4vci/{issuerId}/token',
  summary: 'Issue an access token for a pre-authorized code',
  writes: true,
  bodyFormat: 'form',
  body: v.object({
    grant_type: v.string(),
    'pre-authorized_code': v.optional(v.string()),
    tx_code: v.optional(v.string()),
    authorization_details: v.optional(v.string()),
  }),
  responses: {
    200: v.object({
      access_token: v.string(),
      token_type: v.literal('Bearer'),
      expires_in: v.number(),
      authorization_details: v.optional(v.array(v.looseObject({ credential_identifiers: v.array(v.string()) }))),
    }),
  },
}))

export const RequestNonce = /* @__PURE__ */ defineContract(() => ({
  ...POSTED,
  operationId: 'RequestNonce',
  path: '/oid4vci/{issuerId}/nonce',
  summary: 'Issue a nonce for proofs',
  responses: { 200: v.object({ c_nonce: v.string() }) },
}))

export const RequestCredential = /* @__PURE__ */ defineContract(() => ({
  ...POSTED,
  operationId: 'RequestCredential',
  path: '/oid4vci/{issuerId}/credential',
  summary: 'Issue credentials to the keys of a wallet',
  accessToken: true,
  writes: true,
  // Other fields are ignored; the handler reports missing fields with the errors of section 8.3.1.2.
  body: v.looseObject({
    credential_configuration_id: v.optional(v.unknown()),
    credential_identifier: v.optional(v.unknown()),
    proof: v.optional(v.unknown()),
    proofs: v.optional(v.unknown()),
  }),
  responses: {
    200: v.object({
      credentials: v.array(v.object({ credential: v.string() })),
      notification_id: v.string(),
    }),
  },
}))

export const ReceiveNotification = /* @__PURE__ */ defineContract(() => ({
  ...POSTED,
  operationId: 'ReceiveNotification',
  path: '/oid4vci/{issuerId}/notification',
  summary: 'Receive the notification of a wallet about credentials',
  accessToken: true,
  writes: true,
  body: v.looseObject({
    notification_id: v.optional(v.unknown()),
    event: v.optional(v.unknown()),
    event_description: v.optional(v.unknown()),
  }),
  responses: { 204: v.undefined() },
}))
