/** What a certificate says, in the form that clients of credo-controller read, and in plain fields. */
import type { Certificate } from './certificate.ts'
import { shownFields } from './stored-certificates.ts'

/** A date is written as UTCTime before 2050 (RFC 5280, section 4.1.2.5). */
const timeOf = (date: Date) => {
  const text = date.toISOString()
  return date.getUTCFullYear() < 2050 ? { utcTime: text } : { generalTime: text }
}

export const decodeCertificate = (certificate: Certificate) => {
  const { publicKey, notBefore, notAfter } = certificate
  const validity = { notBefore: timeOf(notBefore), notAfter: timeOf(notAfter) }
  return {
    publicJwk: { jwk: { jwk: publicKey.export({ format: 'jwk' }) } },
    x509Certificate: { asn: { tbsCertificate: { validity } } },
    ...shownFields(certificate),
  }
}
