/** The certificate that signs a verifier's requests, and the client id that follows from it (OpenID4VP 1.0, section 5.9). */
import { invalidField } from '../errors.ts'
import type { PresentationRequest } from '../interface/openid4vp.ts'
import { assertValidUntil, chooseCertificate } from '../openid/certificates.ts'
import { sha256 } from '../openid/compare.ts'
import type { StoredVerifier } from '../records/openid4vp.ts'
import { settings } from '../settings.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Certificate, readCertificate } from '../x509/certificate.ts'
import { isSelfSigned } from '../x509/chain.ts'

type RequestSigner = Partial<NonNullable<PresentationRequest['requestSigner']>>

const PATH = 'requestSigner'

const clientIdOf = (leaf: Certificate, prefix: RequestSigner['clientIdPrefix'] = 'x509_hash'): string => {
  if (prefix === 'x509_hash') return `x509_hash:${sha256(leaf.x509.raw)}`
  const { hostname } = new URL(settings().PUBLIC_URL)
  if (!leaf.extensions.dnsNames?.includes(hostname))
    throw invalidField(`${PATH}.clientIdPrefix`, `needs a certificate with the domain name ${hostname}`)
  return `x509_san_dns:${hostname}`
}

/**
 * Chooses the certificate of a request that ends at `expiresAt`. Throws `request.invalid` for one that does not exist,
 * or expires before.
 */
export const chooseSigner = async (
  unit: UnitOfWork,
  verifier: StoredVerifier,
  signer: RequestSigner,
  expiresAt: Date,
): Promise<{ certificateId: string; clientId: string }> => {
  const { certificateId } = verifier
  const choice = { keyId: signer.keyId, x5c: signer.x5c, path: PATH, certificateId, owner: 'verifierId' }
  const certificate = await chooseCertificate(unit, choice)
  assertValidUntil(certificate, expiresAt, PATH)
  const { id, chain } = certificate
  const leaf = readCertificate(String(chain[0]))
  if (verifier.haip && isSelfSigned(leaf))
    throw invalidField(PATH, 'has a self-signed certificate, which HAIP 1.0, section 5, does not allow')
  if (verifier.haip && signer.clientIdPrefix === 'x509_san_dns')
    throw invalidField(`${PATH}.clientIdPrefix`, 'must be x509_hash (HAIP 1.0, section 5)')
  return { certificateId: id, clientId: clientIdOf(leaf, signer.clientIdPrefix) }
}
