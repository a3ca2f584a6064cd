/** Records of a verifier of OpenID4VP 1.0: verifiers, trusted issuers, and verification sessions. */
import * as v from 'valibot'
import { recordSchema, Timestamp } from './record-json.ts'

/** A public id, which is part of wallets' URLs: it is never reused. */
export const PublicId = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/,
    'must be 1 to 64 characters of A-Z a-z 0-9 . _ ~ -, a letter or digit first',
  ),
)

const VERIFIER_FIELDS = {
  /** Also the record's id. */
  verifierId: PublicId,
  /** Shown by wallets, such as `client_name`. */
  clientMetadata: v.optional(v.record(v.string(), v.unknown())),
  /** The certificate that signs its requests. */
  certificateId: v.optional(v.string()),
  /** Whether its requests follow HAIP 1.0. */
  haip: v.optional(v.boolean()),
  /** A JWT, copied unchanged into `verifier_info`. */
  registrationCertificate: v.optional(v.string()),
}
export const VerifierRecord = recordSchema({ ...VERIFIER_FIELDS, _tags: v.looseObject({}) })
export const StoredVerifier = v.looseObject({ id: v.string(), createdAt: Timestamp, ...VERIFIER_FIELDS })
export type StoredVerifier = v.InferOutput<typeof StoredVerifier>

const TRUSTED_ISSUER_FIELDS = {
  /** Base64 of DER: roots, intermediates, or certificates of issuers themselves. */
  certificates: v.optional(v.array(v.string())),
  /** In place of certificates: the issuer whose keys are at its `/.well-known/jwt-vc-issuer`. */
  issuer: v.optional(v.string()),
  /** Types of credentials for which it is trusted. */
  vcts: v.array(v.string()),
  name: v.optional(v.string()),
}
export const TrustedIssuerRecord = recordSchema({ ...TRUSTED_ISSUER_FIELDS, _tags: v.looseObject({}) })
export const StoredTrustedIssuer = v.looseObject({ id: v.string(), createdAt: Timestamp, ...TRUSTED_ISSUER_FIELDS })
export type StoredTrustedIssuer = v.InferOutput<typeof StoredTrustedIssuer>

export const VERIFICATION_STATES = [
  'RequestCreated',
  'RequestUriRetrieved',
  /** The response was verified, and waits for the response code, which only its sender has. */
  'ResponseReceived',
  'ResponseVerified',
  'Error',
] as const
export type VerificationState = (typeof VERIFICATION_STATES)[number]

const Check = v.object({ name: v.string(), passed: v.boolean(), reason: v.optional(v.string()) })
export type Check = v.InferOutput<typeof Check>

/** A verified credential without its claims' values. */
const PresentedCredential = v.object({
  /** Id of the credential query that it answers. */
  queryId: v.string(),
  vct: v.string(),
  /** Id of the trusted issuer's record; absent: the certificates of the request. */
  trustedIssuerId: v.optional(v.string()),
  /** Subject of the issuer's certificate, or the issuer of its key set. */
  issuer: v.string(),
  status: v.optional(v.string()),
  /** Names of the disclosed claims. */
  claimNames: v.array(v.string()),
})
export type PresentedCredential = v.InferOutput<typeof PresentedCredential>

const SHOWN = {
  verifierId: PublicId,
  state: v.picklist(VERIFICATION_STATES),
  /** The link for a wallet. */
  authorizationRequest: v.string(),
  /** Where the wallet reads the request. */
  authorizationRequestUri: v.string(),
  expiresAt: Timestamp,
  /** Where the wallet sends its user after the response, with a response code. */
  redirectUri: v.optional(v.string()),
  checks: v.optional(v.array(Check)),
  credentials: v.optional(v.array(PresentedCredential)),
  /** Name of the failed check, or the error code that the wallet sent. */
  error: v.optional(v.string()),
  errorMessage: v.optional(v.string()),
}

/** Disclosed claims by the id of the query that they answer. */
export const Claims = v.record(v.string(), v.array(v.record(v.string(), v.unknown())))
export type Claims = v.InferOutput<typeof Claims>

export const VerificationSessionRecord = recordSchema({
  ...SHOWN,
  /** Only of one session, once it is `ResponseVerified`, until `resultTtl` ends. */
  claims: v.optional(Claims),
  _tags: v.looseObject({ state: v.picklist(VERIFICATION_STATES) }),
})

/** Stored fields of a session that are not shown. */
const HIDDEN = {
  /** Claims of the request object, without constant and time claims. `client_metadata`: the verifier's. */
  payload: v.looseObject({
    ...{ client_id: v.string(), nonce: v.string(), state: v.string(), response_mode: v.string() },
    client_metadata: v.record(v.string(), v.unknown()),
    transaction_data: v.optional(v.array(v.string())),
  }),
  /** The certificate that signs it. */
  certificateId: v.string(),
  /** Until the response is received: its public key, and the private key's `d`, sealed, in base64. */
  encryptionKey: v.optional(v.object({ publicJwk: v.looseObject({ kid: v.string() }), sealed: v.string() })),
  trustedCertificates: v.optional(v.array(v.string())),
  /** Seconds for which the claims are stored. */
  resultTtl: v.number(),
  /** SHA-256 of the response code, in base64url, the number of wrong attempts, and its expiry. */
  responseCode: v.optional(v.string()),
  codeTries: v.optional(v.number()),
  codeExpiresAt: v.optional(Timestamp),
}

export const StoredVerificationSession = v.looseObject({ id: v.string(), createdAt: Timestamp, ...SHOWN, ...HIDDEN })
export type StoredVerificationSession = v.InferOutput<typeof StoredVerificationSession>
