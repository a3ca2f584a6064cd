/** Kinds of records that OpenID4VC has: kinds.ts lists them with all others. */
import { defineRecord, EVERY, isStateChange } from './define-record.ts'
import { OF_TENANT } from './owners.ts'
import { toRecordJson } from './record-json.ts'
import { shownIssuance } from './shown-issuance.ts'
import { shownSession } from './shown-session.ts'

export const certificateRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'X509CertificateRecord',
  keys: 'certificate',
  belongsTo: OF_TENANT,
  atMost: 20,
  // Its key is a separate item (lib/keys).
  sealed: [],
  // Without copies: chains are large, and rarely listed.
  indexes: { [EVERY]: { name: EVERY } },
  events: {
    'certificate.expires': {
      summary: 'A certificate expires within 30 days (`expiring`), or has expired (`expired`)',
      isChange: (after, before) => before !== undefined && after.state !== before.state,
    },
  },
}))

export const verifierRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcVerifierRecord',
  keys: 'verifier',
  belongsTo: OF_TENANT,
  atMost: 50,
  sealed: [],
  indexes: { [EVERY]: { name: EVERY, copy: true } },
}))

export const trustedIssuerRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcTrustedIssuerRecord',
  keys: 'trusted-issuer',
  belongsTo: OF_TENANT,
  atMost: 50,
  sealed: [],
  indexes: { [EVERY]: { name: EVERY, copy: true } },
}))

export const verificationSessionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcVerificationSessionRecord',
  keys: 'verification-session',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each is created by a call',
  // The key of its response is sealed in lib/openid4vp/response-key.ts; claims are a separate item.
  sealed: [],
  indexes: { [EVERY]: { name: EVERY, copy: true } },
  filters: { publicVerifierId: 'verifierId' },
  events: {
    'openid4vc_verification.state_changed': {
      summary: 'The state of a verification session of OpenID4VP has changed',
      isChange: isStateChange,
    },
  },
  ends: { states: ['ResponseVerified', 'Error'], format: () => 'presentation/openid4vp' },
  view: ({ value, tags }) => toRecordJson({ value: shownSession(value), tags }),
}))

export const issuerRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcIssuerRecord',
  keys: 'openid-issuer',
  belongsTo: OF_TENANT,
  atMost: 50,
  sealed: [],
  // Without copies: configurations are large.
  indexes: { [EVERY]: { name: EVERY } },
  view: ({ value: { formerCertificateIds: _, ...value }, tags }) => toRecordJson({ value, tags }),
}))

export const issuanceSessionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcIssuanceSessionRecord',
  keys: 'issuance-session',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each is created by a call',
  // Claims are a separate item, sealed in lib/openid4vci/claims.ts; only the MAC of a PIN is stored.
  sealed: [],
  // Without copies: a session is written at each step, and with each change of a status.
  indexes: { [EVERY]: { name: EVERY } },
  filters: { publicIssuerId: 'issuerId' },
  events: {
    'openid4vc_issuance.state_changed': {
      summary: 'The state of an issuance session of OpenID4VCI has changed',
      isChange: isStateChange,
    },
    'openid4vc_issuance.status_changed': {
      summary: 'The credentials of an issuance session were suspended, resumed or revoked',
      isChange: (after, before) =>
        before !== undefined && (after.credentialStatus ?? 'valid') !== (before.credentialStatus ?? 'valid'),
    },
  },
  ends: { states: ['Completed', 'Error'], format: () => 'credential/openid4vci' },
  view: ({ value, tags }) => toRecordJson({ value: shownIssuance(value), tags }),
}))

/** Time for which the result of a bulk revocation is stored. */
const STATUS_REVOCATION_SECONDS = 90 * 24 * 60 * 60

export const statusRevocationRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcStatusRevocationRecord',
  keys: 'status-revocation',
  // No list has them: they expire.
  belongsTo: {},
  atMost: 'unlimited: each is created by a call',
  sealed: [],
  indexes: {},
  expiry: ({ value: { createdAt } }) => Math.floor(Date.parse(String(createdAt)) / 1_000) + STATUS_REVOCATION_SECONDS,
  events: {
    'openid4vc_status_revocation.done': {
      summary: 'A bulk revocation of the credentials of issuance sessions has ended',
      isChange: (after, before) => before !== undefined && after.state === 'done' && before.state !== 'done',
    },
  },
  view: ({ value: { filter: _, place: __, ...value }, tags }) => toRecordJson({ value, tags }),
}))
