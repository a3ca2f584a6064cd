/** Issuers that a tenant trusts, each for some types of credentials. */
import { randomUUID } from 'node:crypto'
import { trustedIssuerRecords } from '../records/openid-kinds.ts'
import type { StoredTrustedIssuer } from '../records/openid4vp.ts'
import { assertBelowMaximum } from '../store/record-limit.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { readCertificate } from '../x509/certificate.ts'
import { withField } from '../x509/field.ts'

type TrustedIssuer = Pick<StoredTrustedIssuer, 'certificates' | 'issuer' | 'vcts' | 'name'>

const { type, view } = trustedIssuerRecords

/** Adds an issuer, and returns it as the API shows it. Throws `request.invalid`, `openid.too_many`. */
export const createTrustedIssuer = async (unit: UnitOfWork, { certificates, ...issuer }: TrustedIssuer) => {
  await assertBelowMaximum(unit, trustedIssuerRecords, 'trusted issuers')
  const read = certificates?.map((text, index) =>
    withField(`certificates.${index}`, () => readCertificate(text).base64),
  )
  const id = randomUUID()
  const createdAt = new Date().toISOString()
  const value = { id, createdAt, metadata: {}, ...issuer, ...(read !== undefined && { certificates: read }) }
  unit.insert({ tenant: unit.tenant, type, id, value, tags: {} })
  return view({ value, tags: {} })
}
