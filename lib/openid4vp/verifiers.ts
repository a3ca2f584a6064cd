/** Verifiers of a tenant: each has a public id, and settings for its requests. */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { AgentError, invalidField } from '../errors.ts'
import { claimPublicId } from '../openid/public-ids.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords, verifierRecords } from '../records/openid-kinds.ts'
import type { StoredVerifier } from '../records/openid4vp.ts'
import { settings } from '../settings.ts'
import { assertBelowMaximum } from '../store/record-limit.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { readCertificate } from '../x509/certificate.ts'
import { isSelfSigned } from '../x509/chain.ts'

type VerifierSettings = Pick<StoredVerifier, 'clientMetadata' | 'certificateId' | 'haip' | 'registrationCertificate'>

const { type, view } = verifierRecords

/** Wallets send responses to no other address (OpenID4VP 1.0, section 8.2). */
const assertHttps = (): void => {
  if (!settings().PUBLIC_URL.startsWith('https://'))
    throw new AgentError('request.invalid', 'a verifier needs a public URL (PUBLIC_URL) that begins with https')
}

const checkCertificate = async (unit: UnitOfWork, { certificateId, haip = false }: VerifierSettings): Promise<void> => {
  if (certificateId === undefined) return
  const stored = await unit.read(unit.tenant, certificateRecords.type, certificateId)
  if (stored === undefined) throw invalidField('certificateId', 'is not a certificate of this agent')
  const { chain } = v.parse(StoredCertificate, stored.value)
  if (haip && isSelfSigned(readCertificate(String(chain[0]))))
    throw invalidField('certificateId', 'is self-signed, which HAIP 1.0, section 5, forbids')
}

/**
 * Creates a verifier, and returns it as the API shows it. Throws `request.invalid`, `openid.too_many`; the commit
 * `openid.id_taken`.
 */
export const createVerifier = async (
  unit: UnitOfWork,
  { verifierId = randomUUID(), ...chosen }: VerifierSettings & { verifierId?: string | undefined },
) => {
  assertHttps()
  await assertBelowMaximum(unit, verifierRecords, 'verifiers')
  await checkCertificate(unit, chosen)
  claimPublicId(unit, verifierId, 'verifier')
  const value = { id: verifierId, createdAt: new Date().toISOString(), metadata: {}, verifierId, ...chosen }
  unit.insert({ tenant: unit.tenant, type, id: verifierId, value, tags: {} })
  return view({ value, tags: {} })
}

/** Replaces a verifier's settings. Throws `resource.not_found`, `request.invalid`. */
export const updateVerifier = async (unit: UnitOfWork, verifierId: string, chosen: VerifierSettings) => {
  const stored = await unit.read(unit.tenant, type, verifierId)
  if (stored === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  await checkCertificate(unit, chosen)
  const { id, createdAt, metadata } = stored.value
  const value = { id, createdAt, updatedAt: new Date().toISOString(), metadata, verifierId, ...chosen }
  await unit.update({ ...stored, value })
  return view({ value, tags: stored.tags })
}
