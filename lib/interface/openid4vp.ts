/** Contracts of a verifier of OpenID4VP 1.0, for its tenant: the calls of credo-controller, without its drafts. */
import * as v from 'valibot'
import {
  PublicId,
  TrustedIssuerRecord,
  VERIFICATION_STATES,
  VerificationSessionRecord,
  VerifierRecord,
} from '../records/openid4vp.ts'
import { EntityId } from '../records/tenant.ts'
import { ACTION, actionOn, COMMAND, DELETION, defineContract, listingOf, lookupOf, QUERY } from './contract.ts'
import { DcqlQuery } from './dcql.ts'
import { exactly, JsonObject, notTooDeep, Paging, text } from './fields.ts'

/** Newest first. */
const Newest = v.object({ ...Paging.entries, order: v.optional(v.picklist(['asc', 'desc']), 'desc') })

const CertificateText = text(32_768)
const ClientMetadata = v.pipe(JsonObject, notTooDeep())
const RegistrationCertificate = v.pipe(text(16_384), v.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'must be a JWT'))

const VerifierSettings = {
  clientMetadata: v.optional(ClientMetadata),
  certificateId: v.optional(EntityId),
  haip: v.optional(v.boolean()),
  registrationCertificate: v.optional(RegistrationCertificate),
}

const OfVerifier = v.object({ verifierId: PublicId })

export const CreateVerifier = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateVerifier',
  path: '/openid4vc/verifier',
  summary: 'Create a verifier',
  description:
    '`verifierId` (by default a UUID) becomes part of URLs and is never reused, not even after deletion: 409. ' +
    '`certificateId`: the certificate that signs its requests. `haip`: its requests follow HAIP 1.0. `registrationCertificate`: a JWT that is sent to wallets unchanged.',
  body: exactly({ verifierId: v.optional(PublicId), ...VerifierSettings }),
  responses: { 200: VerifierRecord },
}))

export const UpdateVerifier = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(OfVerifier, VerifierRecord),
  method: 'PUT',
  operationId: 'UpdateVerifier',
  path: '/openid4vc/verifier/{verifierId}',
  summary: 'Change a verifier',
  description: 'Omitted fields are removed. Existing requests keep their certificate.',
  body: exactly(VerifierSettings),
}))

export const GetVerifiers = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(Paging, VerifierRecord),
  operationId: 'GetVerifiers',
  path: '/openid4vc/verifier',
  summary: 'List the verifiers',
}))

export const GetVerifierById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(OfVerifier, VerifierRecord),
  operationId: 'GetVerifierById',
  path: '/openid4vc/verifier/{verifierId}',
  summary: 'Retrieve a verifier',
}))

export const DeleteVerifier = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteVerifier',
  path: '/openid4vc/verifier/{verifierId}',
  summary: 'Delete a verifier',
  description: 'Its requests can no longer be read. Sessions and results stay until they expire.',
  parameters: { path: OfVerifier },
}))

export const CreateTrustedIssuer = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateTrustedIssuer',
  path: '/openid4vc/trusted-issuers',
  summary: 'Trust an issuer of credentials',
  description:
    'For the types `vcts`, by `certificates` (roots, intermediates or those of issuers), or by `issuer`, whose keys are read from its `/.well-known/jwt-vc-issuer`. ' +
    'Credentials of other issuers fail the verification.',
  body: v.pipe(
    exactly({
      certificates: v.optional(v.pipe(v.array(CertificateText), v.minLength(1), v.maxLength(10))),
      issuer: v.optional(
        v.pipe(
          text(2048),
          v.regex(/^https:\/\/[^\s?#]+$/, 'must be an https URL without query'),
          v.url('must be a URL'),
        ),
      ),
      vcts: v.pipe(v.array(text(2048)), v.minLength(1), v.maxLength(50)),
      name: v.optional(text(255)),
    }),
    v.check(
      ({ certificates, issuer }) => (certificates === undefined) !== (issuer === undefined),
      'must have either certificates or an issuer',
    ),
  ),
  responses: { 200: TrustedIssuerRecord },
}))

export const GetTrustedIssuers = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(Paging, TrustedIssuerRecord),
  operationId: 'GetTrustedIssuers',
  path: '/openid4vc/trusted-issuers',
  summary: 'List the trusted issuers',
}))

export const DeleteTrustedIssuer = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteTrustedIssuer',
  path: '/openid4vc/trusted-issuers/{trustedIssuerId}',
  summary: 'Stop trusting an issuer',
  parameters: { path: v.object({ trustedIssuerId: EntityId }) },
}))

const TransactionData = v.pipe(
  JsonObject,
  v.check(
    ({ type, credential_ids }) =>
      typeof type === 'string' &&
      Array.isArray(credential_ids) &&
      credential_ids.length > 0 &&
      credential_ids.every((id) => typeof id === 'string'),
    'must have a type and credential_ids',
  ),
)

export const PresentationRequest = exactly({
  verifierId: PublicId,
  dcql: exactly({ query: DcqlQuery }),
  requestSigner: v.optional(
    exactly({
      method: v.literal('x5c', 'must be `x5c`'),
      x5c: v.optional(v.pipe(v.array(CertificateText), v.minLength(1), v.maxLength(5))),
      keyId: v.optional(EntityId),
      clientIdPrefix: v.optional(v.picklist(['x509_hash', 'x509_san_dns'])),
    }),
  ),
  responseMode: v.optional(v.picklist(['direct_post', 'direct_post.jwt'])),
  version: v.optional(v.literal('v1')),
  redirectUri: v.optional(
    v.pipe(
      text(2048),
      v.regex(/^https:\/\/[^\s\\/?#@]+(?:[/?][^\s\\#]*)?$/, 'must be an https URL without user and fragment'),
      v.url('must be a URL'),
    ),
  ),
  crossDevice: v.optional(v.boolean()),
  transactionData: v.optional(v.pipe(v.array(TransactionData), v.minLength(1), v.maxLength(10), notTooDeep())),
  trustedCertificates: v.optional(v.pipe(v.array(CertificateText), v.minLength(1), v.maxLength(10))),
  expiresIn: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(3600))),
  resultTtl: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(31_536_000))),
  requestUriMethod: v.optional(v.picklist(['get', 'post'])),
})
export type PresentationRequest = v.InferOutput<typeof PresentationRequest>

export const CreatePresentationRequest = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'CreatePresentationRequest',
  path: '/openid4vc/verification-sessions/create-presentation-request',
  summary: 'Create a presentation request for a wallet',
  description:
    'The response has the link for a wallet and the URL of a page with this link. With `redirectUri` the wallet sends its user back there, with `#response_code=`, ' +
    'and the session is verified only when that code is passed to `complete`. `crossDevice`: a request of a HAIP verifier by QR code, without `redirectUri`. ' +
    '`expiresIn`: seconds until the request expires, 600 by default. `resultTtl`: seconds for which the claims are stored, 30 days by default.',
  body: PresentationRequest,
  responses: {
    200: exactly({
      authorizationRequest: v.string(),
      pageUrl: v.string(),
      verificationSession: VerificationSessionRecord,
    }),
  },
}))

export const GetVerificationSessions = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetVerificationSessions',
  path: '/openid4vc/verification-sessions',
  summary: 'List the verification sessions, the newest first',
  parameters: {
    query: v.object({
      publicVerifierId: v.optional(PublicId),
      state: v.optional(v.picklist(VERIFICATION_STATES)),
      ...Newest.entries,
    }),
  },
  responses: { 200: v.array(VerificationSessionRecord) },
}))

const OfSession = v.object({ verificationSessionId: EntityId })

export const GetVerificationSessionById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(OfSession, VerificationSessionRecord),
  operationId: 'GetVerificationSessionById',
  path: '/openid4vc/verification-sessions/{verificationSessionId}',
  summary: 'Retrieve a verification session, with the claims of one that is verified',
}))

export const DeleteVerificationSession = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteVerificationSession',
  path: '/openid4vc/verification-sessions/{verificationSessionId}',
  summary: 'Delete a verification session and its claims',
  parameters: { path: OfSession },
}))

export const CompleteVerificationSession = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(OfSession, VerificationSessionRecord),
  operationId: 'CompleteVerificationSession',
  path: '/openid4vc/verification-sessions/{verificationSessionId}/complete',
  summary: 'Complete a verification session with the response code',
  description:
    'Within five minutes of the response of the wallet, with at most five tries. The code proves that the browser that started the request got the response (OpenID4VP 1.0, section 13.3). 409: the session is already completed, or has no `redirectUri`.',
  body: exactly({ responseCode: text(128) }),
}))
