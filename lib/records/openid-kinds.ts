/** Kinds of records that OpenID4VC has: kinds.ts lists them with all others. */
import { defineRecord, EVERY } from './define-record.ts'

export const certificateRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'X509CertificateRecord',
  keys: 'certificate',
  indexes: { [EVERY]: { name: EVERY, copy: true } },
  events: {
    'certificate.expires': {
      summary: 'A certificate ends within 30 days (`expiring`), or has ended (`expired`)',
      isChange: (after, before) => before !== undefined && after.state !== before.state,
    },
  },
}))
