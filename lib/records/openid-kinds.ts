/** Kinds of records that OpenID4VC has: kinds.ts lists them with all others. */
import { defineRecord, EVERY, isStateChange } from './define-record.ts'
import { toRecordJson } from './record-json.ts'
import { shownSession } from './shown-session.ts'

export const certificateRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'X509CertificateRecord',
  keys: 'certificate',
  // Without copies: chains are large, and seldom listed.
  indexes: { [EVERY]: { name: EVERY } },
  events: {
    'certificate.expires': {
      summary: 'A certificate ends within 30 days (`expiring`), or has ended (`expired`)',
      isChange: (after, before) => before !== undefined && after.state !== before.state,
    },
  },
}))

export const verifierRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcVerifierRecord',
  keys: 'verifier',
  indexes: { [EVERY]: { name: EVERY, copy: true } },
}))

export const trustedIssuerRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcTrustedIssuerRecord',
  keys: 'trusted-issuer',
  indexes: { [EVERY]: { name: EVERY, copy: true } },
}))

export const verificationSessionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OpenId4VcVerificationSessionRecord',
  keys: 'verification-session',
  indexes: { [EVERY]: { name: EVERY, copy: true } },
  events: {
    'openid4vc_verification.state_changed': {
      summary: 'The state of a verification session of OpenID4VP has changed',
      isChange: isStateChange,
    },
  },
  ends: { states: ['ResponseVerified', 'Error'], format: () => 'presentation/openid4vp' },
  view: ({ value, tags }) => toRecordJson({ value: shownSession(value), tags }),
}))
