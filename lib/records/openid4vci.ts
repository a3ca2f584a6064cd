/** Records of an issuer of OpenID4VCI 1.0: issuers, issuance sessions, and bulk revocations. */
import * as v from 'valibot'
import { PublicId } from './openid4vp.ts'
import { recordSchema, Timestamp } from './record-json.ts'

const Display = v.looseObject({ name: v.optional(v.string()), locale: v.optional(v.string()) })

/** A configuration as the metadata show it (OpenID4VCI 1.0, section 12.2.4, appendix A.3). */
export const CredentialConfiguration = v.looseObject({
  format: v.literal('dc+sd-jwt'),
  vct: v.string(),
  scope: v.optional(v.string()),
  cryptographic_binding_methods_supported: v.optional(v.array(v.string())),
  credential_signing_alg_values_supported: v.optional(v.array(v.string())),
  proof_types_supported: v.optional(
    v.looseObject({ jwt: v.looseObject({ proof_signing_alg_values_supported: v.array(v.string()) }) }),
  ),
  credential_metadata: v.optional(
    v.looseObject({
      display: v.optional(v.array(Display)),
      claims: v.optional(v.array(v.looseObject({ path: v.array(v.unknown()) }))),
    }),
  ),
})
export type CredentialConfiguration = v.InferOutput<typeof CredentialConfiguration>

const ISSUER_FIELDS = {
  /** Also the record's id. */
  issuerId: PublicId,
  display: v.optional(v.array(Display)),
  credentialConfigurationsSupported: v.record(v.string(), CredentialConfiguration),
  /** Maximum number of keys in a request, each of which gets a credential; absent: one. */
  batchCredentialIssuance: v.optional(v.object({ batchSize: v.number() })),
  /** The certificate that signs credentials and status lists; absent: the tenant's only one. */
  certificateId: v.optional(v.string()),
  /** Stored for credo-controller's clients without effect: access tokens are opaque. */
  accessTokenSignerKeyType: v.optional(v.object({ kty: v.string(), crv: v.string() })),
  dpopSigningAlgValuesSupported: v.optional(v.array(v.string())),
  /** Time since which it issues no credentials, and serves only the resources that verifiers read. */
  publicOnlySince: v.optional(Timestamp),
}
export const IssuerRecord = recordSchema({ ...ISSUER_FIELDS, _tags: v.looseObject({}) })
export const StoredIssuer = v.looseObject({
  id: v.string(),
  createdAt: Timestamp,
  ...ISSUER_FIELDS,
  /** Certificates that signed earlier: their keys stay in the key set. */
  formerCertificateIds: v.optional(v.array(v.string())),
  /** Its tenant was removed: of its status lists only those are served that are stored signed. */
  listsEnded: v.optional(v.literal(true)),
})
export type StoredIssuer = v.InferOutput<typeof StoredIssuer>

export const ISSUANCE_STATES = [
  'OfferCreated',
  'OfferUriRetrieved',
  'AccessTokenCreated',
  'CredentialsPartiallyIssued',
  /** Each configuration of the offer was issued once. */
  'Completed',
  'Error',
] as const
export type IssuanceState = (typeof ISSUANCE_STATES)[number]

const CREDENTIAL_STATUSES = ['valid', 'suspended', 'revoked'] as const
export type IssuedStatus = (typeof CREDENTIAL_STATUSES)[number]

const OFFERED_CREDENTIAL = {
  credentialConfigurationId: v.string(),
  vct: v.string(),
  /** Names of its claims: the sealed values are a separate item. */
  claimNames: v.array(v.string()),
  isRevocable: v.optional(v.literal(true)),
}

const StatusReference = v.object({
  listId: v.string(),
  /** One for each credential. */
  indexes: v.array(v.number()),
})
export type StatusReference = v.InferOutput<typeof StatusReference>

/** Credentials of one request. */
const IssuedCredential = v.object({
  credentialConfigurationId: v.string(),
  issuedAt: Timestamp,
  /** One for each key of the wallet. */
  count: v.number(),
  /** Whether the wallet has notified `credential_accepted`. */
  isAccepted: v.optional(v.literal(true)),
  /** Absent if they are not revocable. */
  status: v.optional(StatusReference),
})

const SHOWN = {
  issuerId: PublicId,
  state: v.picklist(ISSUANCE_STATES),
  /** Expiry of the offer, and later of the access token. */
  expiresAt: Timestamp,
  issuedCredentials: v.optional(v.array(IssuedCredential)),
  /** Of all its revocable credentials. */
  credentialStatus: v.optional(v.picklist(CREDENTIAL_STATUSES)),
  /** The tenant's own. */
  issuanceMetadata: v.optional(v.record(v.string(), v.unknown())),
  /** Last event that the wallet has notified (OpenID4VCI 1.0, section 11.1). */
  notification: v.optional(v.string()),
  errorMessage: v.optional(v.string()),
}

export const IssuanceSessionRecord = recordSchema({
  ...SHOWN,
  credentials: v.array(v.object(OFFERED_CREDENTIAL)),
  /** Where wallets read the offer. */
  credentialOfferUri: v.string(),
  _tags: v.looseObject({ state: v.picklist(ISSUANCE_STATES) }),
})

/** Stored fields of a session that are not shown. */
const HIDDEN = {
  credentials: v.array(
    v.object({
      ...OFFERED_CREDENTIAL,
      /** The certificate that signs it. */
      certificateId: v.string(),
      /** The index that the tenant has chosen in one of its status lists. */
      statusListDetails: v.optional(v.object({ listId: v.string(), index: v.number() })),
    }),
  ),
  /** HMAC of the PIN, and the number of wrong attempts. */
  pin: v.optional(v.object({ mac: v.string(), tries: v.number() })),
  /** Of the offer: how wallets ask for the PIN (section 4.1.1). */
  txCode: v.optional(v.looseObject({})),
  /** SHA-256 of the access token, in base64url. */
  tokenHash: v.optional(v.string()),
  /** Those of the token response, if the wallet requested them: ids of configurations. */
  credentialIdentifiers: v.optional(v.array(v.string())),
  /** Credential requests so far. */
  requests: v.optional(v.number()),
  /** SHA-256 of the notification id of each request in `issuedCredentials`, in base64url. */
  notificationIds: v.optional(v.array(v.string())),
}

export const StoredIssuanceSession = v.looseObject({ id: v.string(), createdAt: Timestamp, ...SHOWN, ...HIDDEN })
export type StoredIssuanceSession = v.InferOutput<typeof StoredIssuanceSession>

const REVOCATION_STATE = v.picklist(['pending', 'done'])
const REVOCATION_FIELDS = {
  state: REVOCATION_STATE,
  /** Number of sessions to revoke; absent until they are counted. */
  total: v.optional(v.number()),
  done: v.number(),
  failed: v.number(),
}
export const StatusRevocationRecord = recordSchema({
  ...REVOCATION_FIELDS,
  _tags: v.looseObject({ state: REVOCATION_STATE }),
})

/** Which sessions: by their ids, or all of an issuer that match. */
export const RevocationFilter = v.union([
  v.object({ sessionIds: v.array(v.string()) }),
  v.object({
    publicIssuerId: PublicId,
    credentialConfigurationId: v.optional(v.string()),
    issuedBefore: v.optional(v.string()),
    issuedAfter: v.optional(v.string()),
  }),
])
export type RevocationFilter = v.InferOutput<typeof RevocationFilter>

export const StoredStatusRevocation = v.looseObject({
  id: v.string(),
  createdAt: Timestamp,
  ...REVOCATION_FIELDS,
  filter: RevocationFilter,
  /** Where the job continues: an index in `sessionIds`, or a cursor. */
  place: v.optional(v.union([v.number(), v.string()])),
})
export type StoredStatusRevocation = v.InferOutput<typeof StoredStatusRevocation>
