/** The certificate that signs a verifier's requests, and the client id that follows from it (OpenID4VP 1.0, section 5.9). */
import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import type { StoredVerifier } from '../records/openid4vp.ts'
import { settings } from '../settings.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Certificate, readCertificate } from '../x509/certificate.ts'
import { isSelfSigned } from '../x509/chain.ts'
import { withField } from '../x509/field.ts'
import { sha256 } from './session.ts'

export interface RequestSigner {
  x5c?: string[] | undefined
  keyId?: string | undefined
  clientIdPrefix?: 'x509_hash' | 'x509_san_dns' | undefined
}

const { type } = certificateRecords

const PATH = 'requestSigner'

/** The certificates of the tenant, of which there are few. */
const listed = async (unit: UnitOfWork): Promise<StoredCertificate[]> =>
  (await unit.find(unit.tenant, type, {})).map(({ value }) => v.parse(StoredCertificate, value))

const byId = async (unit: UnitOfWork, id: string, path: string): Promise<StoredCertificate> => {
  const stored = await unit.read(unit.tenant, type, id)
  if (stored === undefined) throw invalidField(path, 'is not a certificate of this agent')
  return v.parse(StoredCertificate, stored.value)
}

/** The certificate that the request names, or the verifier, or else the tenant's only one. */
const certificateOf = async (
  unit: UnitOfWork,
  { certificateId }: StoredVerifier,
  { x5c, keyId }: RequestSigner,
): Promise<StoredCertificate> => {
  if (keyId !== undefined) return byId(unit, keyId, `${PATH}.keyId`)
  if (x5c !== undefined) {
    const { base64 } = withField(`${PATH}.x5c.0`, () => readCertificate(String(x5c[0])))
    const own = (await listed(unit)).find(({ chain }) => chain[0] === base64)
    if (own === undefined) throw invalidField(`${PATH}.x5c`, 'is not a certificate of this agent')
    return own
  }
  if (certificateId !== undefined) return byId(unit, certificateId, 'verifierId')
  const [only, ...others] = await listed(unit)
  if (only === undefined || others.length > 0)
    throw invalidField(PATH, 'is needed: the verifier names no certificate, and the agent has not exactly one')
  return only
}

const clientIdOf = (leaf: Certificate, prefix: RequestSigner['clientIdPrefix'] = 'x509_hash'): string => {
  if (prefix === 'x509_hash') return `x509_hash:${sha256(leaf.x509.raw)}`
  const { hostname } = new URL(settings().PUBLIC_URL)
  if (!leaf.extensions.dnsNames?.includes(hostname))
    throw invalidField(`${PATH}.clientIdPrefix`, `needs a certificate with the domain name ${hostname}`)
  return `x509_san_dns:${hostname}`
}

/**
 * Chooses the certificate of a request that ends at `expiresAt`. Throws `request.invalid` for one that does not exist, or
 * is not valid so long.
 */
export const chooseSigner = async (
  unit: UnitOfWork,
  verifier: StoredVerifier,
  signer: RequestSigner,
  expiresAt: Date,
): Promise<{ certificateId: string; clientId: string }> => {
  const { id, chain, notBefore, notAfter } = await certificateOf(unit, verifier, signer)
  if (notAfter < expiresAt.toISOString() || notBefore > new Date().toISOString())
    throw invalidField(PATH, `has a certificate that is valid from ${notBefore} to ${notAfter} only`)
  const leaf = readCertificate(String(chain[0]))
  if (verifier.haip && isSelfSigned(leaf))
    throw invalidField(PATH, 'has a self-signed certificate, which HAIP 1.0, section 5, does not allow')
  if (verifier.haip && signer.clientIdPrefix === 'x509_san_dns')
    throw invalidField(`${PATH}.clientIdPrefix`, 'must be x509_hash (HAIP 1.0, section 5)')
  return { certificateId: id, clientId: clientIdOf(leaf, signer.clientIdPrefix) }
}
