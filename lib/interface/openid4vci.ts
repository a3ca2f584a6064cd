/** Contracts of offers of OpenID4VCI 1.0 and of what was issued, for the tenant: the calls of credo-controller. */
import * as v from 'valibot'
import { ISSUANCE_STATES, IssuanceSessionRecord, StatusRevocationRecord } from '../records/openid4vci.ts'
import { PublicId } from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { isDateTime } from '../rfc3339.ts'
import { ACTION, actionOn, DELETION, defineContract, lookupOf, QUERY } from './contract.ts'
import { exactly, JsonObject, listOf, notTooDeep, Paging, text } from './fields.ts'
import { ConfigurationName } from './openid4vci-issuers.ts'

const TxCode = exactly({
  description: v.optional(text(300)),
  length: v.optional(v.pipe(v.number(), v.integer(), v.minValue(4), v.maxValue(12)), 4),
  /** Clients of credo-controller send `alphanumeric` for `text`. */
  input_mode: v.optional(
    v.pipe(
      v.picklist(['numeric', 'text', 'alphanumeric']),
      v.transform((mode) => (mode === 'alphanumeric' ? 'text' : mode)),
    ),
    'numeric',
  ),
})

const OfferedCredential = exactly({
  credentialSupportedId: ConfigurationName,
  format: v.optional(v.literal('dc+sd-jwt', 'must be `dc+sd-jwt`')),
  signerOptions: v.optional(
    exactly({
      method: v.literal('x5c', 'must be `x5c`'),
      x5c: v.optional(v.pipe(listOf(text(32_768), 5), v.minLength(1))),
      keyId: v.optional(EntityId),
    }),
  ),
  payload: v.pipe(JsonObject, notTooDeep()),
  disclosureFrame: v.optional(v.pipe(JsonObject, notTooDeep())),
  isRevocable: v.optional(v.boolean()),
  statusListDetails: v.optional(
    exactly({
      listId: EntityId,
      index: v.pipe(v.number(), v.integer(), v.minValue(0)),
      listSize: v.optional(v.number()),
    }),
  ),
})
export type OfferedCredential = v.InferOutput<typeof OfferedCredential>

export const CredentialOffer = exactly({
  publicIssuerId: PublicId,
  credentials: v.pipe(listOf(OfferedCredential, 20), v.minLength(1)),
  preAuthorizedCodeFlowConfig: v.optional(
    exactly({ authorizationServerUrl: v.optional(text(2048)), txCode: v.optional(TxCode) }),
  ),
  isRevocable: v.optional(v.boolean()),
  issuanceMetadata: v.optional(v.pipe(JsonObject, notTooDeep())),
  expiresIn: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(604_800))),
})
export type CredentialOffer = v.InferOutput<typeof CredentialOffer>

export const CreateCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  holdsSecret: true,
  operationId: 'CreateCredentialOffer',
  path: '/openid4vc/issuance-sessions/create-credential-offer',
  summary: 'Offer credentials to a wallet',
  description:
    'The response has the link for a wallet, the same link with the offer in it, the URL of a page, and the PIN if `txCode` is given: it is shown once, and must reach the ' +
    'holder by another channel. `disclosureFrame`: which claims are selectively disclosable. `expiresIn`: seconds until the offer expires, 3,600 by default.',
  body: CredentialOffer,
  responses: {
    200: exactly({
      credentialOffer: v.string(),
      credentialOfferByValue: v.string(),
      pageUrl: v.string(),
      userPin: v.optional(v.string()),
      issuanceSession: IssuanceSessionRecord,
    }),
  },
}))

export const GetIssuanceSessions = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetIssuanceSessions',
  path: '/openid4vc/issuance-sessions',
  summary: 'List the issuance sessions, the newest first',
  parameters: {
    query: v.object({
      publicIssuerId: v.optional(PublicId),
      state: v.optional(v.picklist(ISSUANCE_STATES)),
      ...Paging.entries,
      order: v.optional(v.picklist(['asc', 'desc']), 'desc'),
    }),
  },
  responses: { 200: v.array(IssuanceSessionRecord) },
}))

const OfSession = v.object({ issuanceSessionId: EntityId })
const SESSION = '/openid4vc/issuance-sessions/{issuanceSessionId}'

export const GetIssuanceSessionById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(OfSession, IssuanceSessionRecord),
  operationId: 'GetIssuanceSessionById',
  path: SESSION,
  summary: 'Retrieve an issuance session',
}))

export const UpdateIssuanceSession = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(OfSession, IssuanceSessionRecord),
  method: 'PUT',
  operationId: 'UpdateIssuanceSession',
  path: SESSION,
  summary: "Add to an issuance session's own metadata",
  description: 'The fields of the body replace those of `issuanceMetadata` with the same names.',
  body: v.pipe(JsonObject, notTooDeep()),
}))

export const DeleteIssuanceSession = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteIssuanceSession',
  path: SESSION,
  summary: 'Delete an issuance session and its claims',
  description:
    'Its offer and access token end. Issued credentials do not change, and can no longer be revoked through the session.',
  parameters: { path: OfSession },
}))

/** Of the revocable credentials of a session. */
const statusChange = (name: string) =>
  ({
    ...ACTION,
    path: `${SESSION}/${name}`,
    parameters: { path: OfSession },
    body: exactly({}),
    responses: { 200: IssuanceSessionRecord },
  }) as const

export const RevokeIssuanceSession = /* @__PURE__ */ defineContract(() => ({
  ...statusChange('revoke'),
  path: `${SESSION}/revoke`,
  operationId: 'RevokeIssuanceSession',
  summary: 'Revoke the credentials of an issuance session',
  description: 'Revocation is final. If they are already revoked: 200, and nothing changes. 409: none is revocable.',
}))

export const SuspendIssuanceSession = /* @__PURE__ */ defineContract(() => ({
  ...statusChange('suspend'),
  path: `${SESSION}/suspend`,
  operationId: 'SuspendIssuanceSession',
  summary: 'Suspend the credentials of an issuance session',
  description: 'If they are already suspended: 200, and nothing changes. 409: they are revoked, or none is revocable.',
}))

export const ResumeIssuanceSession = /* @__PURE__ */ defineContract(() => ({
  ...statusChange('resume'),
  path: `${SESSION}/resume`,
  operationId: 'ResumeIssuanceSession',
  summary: 'End the suspension of the credentials of an issuance session',
  description: '409: they are not suspended.',
}))

/** RFC 3339, with seconds and offset. */
const Time = v.pipe(text(64), v.check(isDateTime, 'must be a date and time of RFC 3339'))

export const RevokeStatuses = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'RevokeStatuses',
  path: '/openid4vc/status/revoke',
  summary: 'Revoke the credentials of many issuance sessions',
  description:
    'Runs in the background. The body names sessions, or selects those of an issuer by configuration or time of issuance. All credentials of a session are revoked. The event `openid4vc_status_revocation.done` reports the end. ' +
    '`failed` counts sessions that do not exist or have nothing to revoke.',
  body: v.union([
    exactly({ sessionIds: v.pipe(listOf(EntityId, 1_000), v.minLength(1)) }),
    exactly({
      publicIssuerId: PublicId,
      credentialConfigurationId: v.optional(ConfigurationName),
      issuedBefore: v.optional(Time),
      issuedAfter: v.optional(Time),
    }),
  ]),
  responses: { 202: exactly({ id: v.string() }) },
}))

export const GetStatusRevocation = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ revocationId: EntityId }), StatusRevocationRecord),
  operationId: 'GetStatusRevocation',
  path: '/openid4vc/status/revocations/{revocationId}',
  summary: 'Retrieve the progress of a revocation of many issuance sessions',
}))
