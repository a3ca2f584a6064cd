/** The record of a tenant's certificate: its public part. Its sealed key is a separate item with the record's id. */
import * as v from 'valibot'
import { recordSchema, Timestamp } from './record-json.ts'

/** `expiring`: it ends within 30 days. */
const CERTIFICATE_STATES = ['valid', 'expiring', 'expired'] as const

const FIELDS = {
  state: v.picklist(CERTIFICATE_STATES),
  /** Id of the key, which is also the record's id. */
  keyId: v.string(),
  /** The certificate and those above it, without the root: base64 of DER. */
  chain: v.array(v.string()),
  subject: v.string(),
  issuer: v.string(),
  /** Hexadecimal. */
  serialNumber: v.string(),
  dnsNames: v.array(v.string()),
  uris: v.array(v.string()),
  notBefore: Timestamp,
  notAfter: Timestamp,
  /** Whether it may issue others. */
  isCa: v.boolean(),
  keyUsage: v.optional(v.array(v.string())),
  /** Object identifiers. */
  extendedKeyUsage: v.optional(v.array(v.string())),
}

export const CertificateRecord = recordSchema({
  ...FIELDS,
  _tags: v.looseObject({ state: v.picklist(CERTIFICATE_STATES) }),
})

/** The fields of a stored record. */
export const StoredCertificate = v.looseObject({ id: v.string(), createdAt: Timestamp, ...FIELDS })
export type StoredCertificate = v.InferOutput<typeof StoredCertificate>
