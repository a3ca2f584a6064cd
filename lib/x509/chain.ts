/** Chains of certificates to a trusted one: https://www.rfc-editor.org/rfc/rfc5280#section-6.1, without revocation and policies. */
import type { Certificate } from './certificate.ts'
import { CertificateError } from './der.ts'

/** Certificates of a chain, the trusted one left out. */
export const MAX_CHAIN = 5

export const isSame = (one: Certificate, other: Certificate): boolean => one.base64 === other.base64

/**
 * Whether a certificate's issuer and subject are the same, and its signature is by its own key. Unlike `checkIssued`,
 * whatever its key usage is.
 */
export const isSelfSigned = ({ x509, publicKey, subject, issuer }: Certificate): boolean =>
  subject === issuer && x509.verify(publicKey)

const failure = ({ subject }: Certificate, reason: string) =>
  new CertificateError(reason, subject.slice(0, 200) || 'no subject')

const assertValidAt = (certificate: Certificate, at: Date): void => {
  const { notBefore, notAfter } = certificate
  if (at < notBefore) throw failure(certificate, `is not valid before ${notBefore.toISOString()}`)
  if (at > notAfter) throw failure(certificate, `has expired: its end was ${notAfter.toISOString()}`)
}

/** A signer's key usage, where it says one. */
const assertMaySign = (certificate: Certificate): void => {
  if (certificate.extensions.keyUsage?.includes('digitalSignature') === false)
    throw failure(certificate, 'may not sign by its key usage')
}

const assertLength = (chain: Certificate[]): void => {
  if (chain.length === 0 || chain.length > MAX_CHAIN || new Set(chain.map(({ base64 }) => base64)).size < chain.length)
    throw new CertificateError(`needs a chain of 1 to ${MAX_CHAIN} different certificates`)
}

/** Names, key identifiers and signature; not what the issuer may do. */
const isIssuedBy = ({ x509, extensions: { authorityKeyId } }: Certificate, issuer: Certificate): boolean => {
  const { subjectKeyId } = issuer.extensions
  if (authorityKeyId !== undefined && subjectKeyId !== undefined && authorityKeyId !== subjectKeyId) return false
  return x509.checkIssued(issuer.x509) && x509.verify(issuer.publicKey)
}

/** `below`: the intermediate certificates between it and the leaf (RFC 5280, sections 4.2.1.3 and 4.2.1.9). */
const assertMayIssue = (certificate: Certificate, below: Certificate[]): void => {
  const { ca, keyUsage } = certificate.extensions
  if (!ca?.isCa) throw failure(certificate, 'is not a CA certificate')
  if (keyUsage?.includes('keyCertSign') === false)
    throw failure(certificate, 'may not sign certificates by its key usage')
  const counted = below.filter(({ issuer, subject }) => issuer !== subject).length
  if (ca.pathLength !== undefined && counted > ca.pathLength)
    throw failure(certificate, 'does not allow a chain of this length')
}

/** Throws a CertificateError unless each certificate, the leaf first, is issued by the next. */
const assertLinked = (path: Certificate[]): void => {
  for (const [index, certificate] of path.entries()) {
    const issuer = path[index + 1]
    if (issuer === undefined) return
    assertMayIssue(issuer, path.slice(1, index + 1))
    if (!isIssuedBy(certificate, issuer)) throw failure(certificate, 'is not issued by the next one of the chain')
  }
}

/**
 * Checks a chain, the leaf first, and returns the trusted certificate to which it leads. Of a trusted leaf only the
 * validity is checked. Throws a CertificateError, whose message goes on from "the certificate".
 */
export const checkChain = (chain: Certificate[], trusted: readonly Certificate[], at = new Date()): Certificate => {
  assertLength(chain)
  const isTrusted = (one: Certificate) => trusted.some((other) => isSame(one, other))
  const end = chain.findIndex(isTrusted)
  const path = end === -1 ? chain : chain.slice(0, end + 1)
  for (const certificate of path) assertValidAt(certificate, at)
  if (end !== 0) assertMaySign(path[0] as Certificate)
  assertLinked(path)
  const last = path.at(-1) as Certificate
  if (end !== -1) return last
  // Several may have the issuer's name, and its key where it was renewed.
  let reason = failure(last, 'leads to no trusted certificate')
  for (const anchor of trusted.filter((one) => isIssuedBy(last, one)))
    try {
      assertValidAt(anchor, at)
      assertMayIssue(anchor, path.slice(1))
      return anchor
    } catch (error) {
      reason = error as CertificateError
    }
  throw reason
}

/** Checks a tenant's own chain, without an anchor: each certificate issued by the next, and valid at `at`. */
export const checkOwnChain = (chain: Certificate[], at = new Date()): void => {
  assertLength(chain)
  for (const certificate of chain) assertValidAt(certificate, at)
  assertLinked(chain)
  if (chain.slice(1).some(isSelfSigned))
    throw new CertificateError('is followed by a trust anchor, which wallets reject in a chain')
}
