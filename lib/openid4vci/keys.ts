/** The keys of an issuer's certificates, for verifiers that find them by its URL. */
import * as v from 'valibot'
import { publicJwk, thumbprintOf } from '../jose/jwk.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { EVERY } from '../records/define-record.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import type { StoredIssuer } from '../records/openid4vci.ts'
import { readTagged } from '../store/record-reads.ts'
import { readCertificate } from '../x509/certificate.ts'

const jwkOf = ({ chain }: StoredCertificate) => {
  const jwk = publicJwk(readCertificate(String(chain[0])).publicKey.export({ format: 'jwk' }))
  return { ...jwk, kid: thumbprintOf(jwk), use: 'sig', alg: 'ES256' }
}

/** A key set (RFC 7517, section 5) of the certificate that signs, and of those that have signed before. */
export const issuerKeys = async (tenant: string, { certificateId, formerCertificateIds = [] }: StoredIssuer) => {
  // All certificates, which are few: if the issuer names none, the only one signs.
  const records = await readTagged(tenant, certificateRecords, EVERY, EVERY)
  const certificates = records.map(({ value }) => v.parse(StoredCertificate, value))
  const named = certificateId === undefined ? formerCertificateIds : [certificateId, ...formerCertificateIds]
  const ids = named.length > 0 || certificates.length !== 1 ? named : certificates.map(({ id }) => id)
  return { keys: certificates.filter(({ id }) => ids.includes(id)).map(jwkOf) }
}
