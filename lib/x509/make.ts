/** Makes certificates. The library comes with this file only: 350 KB that no other function needs. */
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { PrivateJwk } from '../keys/index.ts'
import type { Certificate } from './certificate.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** What a certificate says, beside its key. */
export interface CertificateContent {
  subject: x509.JsonNameParams | string
  /** Hexadecimal; random by default. */
  serialNumber?: string | undefined
  notBefore: Date
  notAfter: Date
  ca?: { pathLength?: number | undefined } | undefined
  keyUsage: readonly KeyUsageName[]
  extendedKeyUsage?: readonly string[] | undefined
  alternativeNames?: readonly { type: 'dns' | 'url'; value: string }[] | undefined
  /** Those that are critical beside the ones that must be (RFC 5280, section 4.2.1). */
  critical: { keyUsage: boolean; extendedKeyUsage: boolean; alternativeNames: boolean }
}

type KeyUsageName = 'digitalSignature' | 'nonRepudiation' | 'keyAgreement' | 'keyCertSign' | 'cRLSign'

/** Who issues it; absent: it is self-signed. */
export interface Issuer {
  certificate: Certificate
  jwk: PrivateJwk
}

const privateKeyOf = ({ kty, crv, x, d, ...jwk }: PrivateJwk) =>
  webcrypto.subtle.importKey('jwk', { kty, crv, x, y: String(jwk.y), d }, ECDSA, false, ['sign'])
const publicKeyOf = ({ kty, crv, x, ...jwk }: PrivateJwk) =>
  webcrypto.subtle.importKey('jwk', { kty, crv, x, y: String(jwk.y) }, ECDSA, true, ['verify'])

const extensionsOf = async (content: CertificateContent, publicKey: webcrypto.CryptoKey, issuer?: Issuer) => {
  const { ca, keyUsage, extendedKeyUsage, alternativeNames, critical } = content
  const issuerKeyId = issuer?.certificate.extensions.subjectKeyId
  const flags = keyUsage.reduce((all, usage) => all | x509.KeyUsageFlags[usage], 0)
  return [
    ...(ca ? [new x509.BasicConstraintsExtension(true, ca.pathLength, true)] : []),
    new x509.KeyUsagesExtension(flags, critical.keyUsage),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ...(issuerKeyId === undefined
      ? []
      : [new x509.AuthorityKeyIdentifierExtension(Buffer.from(issuerKeyId, 'base64url').toString('hex'))]),
    ...(extendedKeyUsage ? [new x509.ExtendedKeyUsageExtension([...extendedKeyUsage], critical.extendedKeyUsage)] : []),
    ...(alternativeNames
      ? [new x509.SubjectAlternativeNameExtension([...alternativeNames], critical.alternativeNames)]
      : []),
  ]
}

/** Base64 of the DER of a certificate for a P-256 key. Throws for a name that can't be written. */
export const makeCertificate = async (
  content: CertificateContent,
  jwk: PrivateJwk,
  issuer?: Issuer,
): Promise<string> => {
  const publicKey = await publicKeyOf(jwk)
  const { serialNumber, notBefore, notAfter } = content
  const subject = new x509.Name(content.subject)
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    // The name as the issuer's certificate has it, byte by byte.
    issuer: issuer ? new x509.X509Certificate(issuer.certificate.base64).subjectName : subject,
    ...(serialNumber !== undefined && { serialNumber }),
    ...{ notBefore, notAfter, publicKey },
    signingKey: await privateKeyOf(issuer?.jwk ?? jwk),
    signingAlgorithm: ECDSA,
    extensions: await extensionsOf(content, publicKey, issuer),
  })
  return Buffer.from(certificate.rawData).toString('base64')
}
