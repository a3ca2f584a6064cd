/** Certificates of tenants in the table: each with its key, and a job that tells of its end. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { enqueue, jobItem } from '../jobs/job.ts'
import { type PrivateJwk, sealedKeys } from '../keys/index.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords, issuerRecords, verifierRecords } from '../records/openid-kinds.ts'
import { assertBelowMaximum } from '../store/record-limit.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { Certificate } from './certificate.ts'
import { shownFields } from './decode.ts'
import { EXPIRING_MS } from './expiry.ts'

const { type } = certificateRecords

/** Adds a certificate, whose chain begins with it, and its key. Throws `certificate.too_many`. */
export const insertCertificate = async (
  unit: UnitOfWork,
  { id, jwk, chain }: { id: string; jwk: PrivateJwk; chain: readonly [Certificate, ...Certificate[]] },
): Promise<void> => {
  const { tenant } = unit
  await assertBelowMaximum(unit, certificateRecords, 'certificates', 'certificate.too_many')
  const now = new Date()
  const value = {
    ...{ id, createdAt: now.toISOString(), keyId: id, state: 'valid' as const },
    chain: chain.map(({ base64 }) => base64),
    ...shownFields(chain[0]),
  } satisfies StoredCertificate
  unit.insert({ tenant, type, id, value: { ...value, metadata: {} }, tags: {} })
  await sealedKeys.insert(tenant, id, jwk)
  const end = chain[0].notAfter.getTime()
  enqueue(unit, expiryJobOf(tenant, id), Math.max(0, end - EXPIRING_MS - now.getTime()))
}

const expiryJobOf = (tenant: string, id: string) => ({ tenant, type: 'certificate-expiry', id }) as const

/** Whether a verifier or an issuer names a certificate, or the credentials of an issuer are signed by it. */
const uses = (value: Record<string, unknown>, { id, notAfter }: StoredCertificate): boolean => {
  const { certificateId, formerCertificateIds: former } = value
  if (certificateId === id) return true
  return Array.isArray(former) && former.includes(id) && new Date(notAfter) > new Date()
}

/** A tenant has few verifiers and issuers: `atMost` of lib/records/openid-kinds.ts. */
const assertUnused = async (unit: UnitOfWork, certificate: StoredCertificate): Promise<void> => {
  for (const [{ type: ofUser }, what] of [
    [verifierRecords, 'verifier'],
    [issuerRecords, 'issuer'],
  ] as const) {
    const user = (await unit.find(unit.tenant, ofUser, {})).find(({ value }) => uses(value, certificate))
    if (user !== undefined) throw new AgentError('certificate.in_use', `the ${what} ${user.id} has this certificate`)
  }
}

/**
 * Deletes a certificate and its key. Throws `resource.not_found`, and `certificate.in_use` where a verifier or an
 * issuer names it, or it has signed for an issuer and has not expired.
 */
export const deleteCertificate = async (unit: UnitOfWork, id: string): Promise<void> => {
  const stored = await unit.read(unit.tenant, type, id)
  if (stored === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  await assertUnused(unit, v.parse(StoredCertificate, stored.value))
  await unit.remove(unit.tenant, type, id)
  await sealedKeys.delete(unit.tenant, id)
  unit.delete(jobItem.addressOf(expiryJobOf(unit.tenant, id)))
}
