/** Which of a tenant's certificates signs for a verifier or an issuer. */
import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { readCertificate } from '../x509/certificate.ts'
import { withField } from '../x509/field.ts'

const { type } = certificateRecords

/** The certificates of the tenant, of which there are few. */
const listCertificates = async (unit: UnitOfWork): Promise<StoredCertificate[]> =>
  (await unit.find(unit.tenant, type, {})).map(({ value }) => v.parse(StoredCertificate, value))

/** Throws `request.invalid` at `path`. */
export const requireCertificate = async (unit: UnitOfWork, id: string, path: string): Promise<StoredCertificate> => {
  const stored = await unit.read(unit.tenant, type, id)
  if (stored === undefined) throw invalidField(path, 'is not a certificate of this agent')
  return v.parse(StoredCertificate, stored.value)
}

export interface CertificateChoice {
  /** Its id or its text, as in the request. */
  keyId?: string | undefined
  x5c?: readonly string[] | undefined
  /** The field of the request. */
  path: string
  /** Of the verifier or issuer, if the request names none. */
  certificateId: string | undefined
  /** The field that names the verifier or issuer, for an error. */
  owner: string
}

/** The certificate that the request names, or its verifier or issuer, or else the tenant's only one. */
export const chooseCertificate = async (
  unit: UnitOfWork,
  { keyId, x5c, path, certificateId, owner }: CertificateChoice,
): Promise<StoredCertificate> => {
  if (keyId !== undefined) return requireCertificate(unit, keyId, `${path}.keyId`)
  if (x5c !== undefined) {
    const { base64 } = withField(`${path}.x5c.0`, () => readCertificate(String(x5c[0])))
    const own = (await listCertificates(unit)).find(({ chain }) => chain[0] === base64)
    if (own === undefined) throw invalidField(`${path}.x5c`, 'is not a certificate of this agent')
    return own
  }
  if (certificateId !== undefined) return requireCertificate(unit, certificateId, owner)
  const [only, ...others] = await listCertificates(unit)
  if (only === undefined || others.length > 0)
    throw invalidField(path, `is required: ${owner} names no certificate, and the agent does not have exactly one`)
  return only
}

/** Throws `request.invalid` at `path` unless the certificate is valid from now to `end`. */
export const assertValidUntil = ({ notBefore, notAfter }: StoredCertificate, end: Date, path: string): void => {
  if (notAfter < end.toISOString() || notBefore > new Date().toISOString())
    throw invalidField(path, `has a certificate that is valid from ${notBefore} to ${notAfter} only`)
}
