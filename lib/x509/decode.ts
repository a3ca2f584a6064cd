/** What a certificate says, in the form that clients of credo-controller read, and in plain fields. */
import type { Certificate } from './certificate.ts'

/** What the API shows of a certificate. */
export const shownFields = ({ x509, subject, issuer, extensions, notBefore, notAfter }: Certificate) => {
  const { ca, keyUsage, extendedKeyUsage, dnsNames = [], uris = [] } = extensions
  return {
    ...{ subject, issuer, serialNumber: x509.serialNumber, dnsNames, uris },
    ...{ notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString(), isCa: ca?.isCa ?? false },
    ...(keyUsage !== undefined && { keyUsage }),
    ...(extendedKeyUsage !== undefined && { extendedKeyUsage }),
  }
}

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
