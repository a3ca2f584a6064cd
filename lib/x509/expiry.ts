/** The end of a tenant's certificate: an event 30 days before, and one at the end. */
import * as v from 'valibot'
import { isAgentError } from '../errors.ts'
import type { Done, Job, JobHandler, Postponed } from '../jobs/job.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import { requireRecord } from '../store/record-reads.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

export const EXPIRING_MS = 30 * 24 * 60 * 60_000

const expiryStateOf = (notAfter: Date, now: Date): StoredCertificate['state'] => {
  const left = notAfter.getTime() - now.getTime()
  return left < 0 ? 'expired' : left <= EXPIRING_MS ? 'expiring' : 'valid'
}

const { type } = certificateRecords

/** The change causes the event. Does nothing if the certificate was deleted meanwhile. */
const setState = async (unit: UnitOfWork, id: string, state: StoredCertificate['state']): Promise<void> => {
  const stored = await unit.read(unit.tenant, type, id)
  if (stored !== undefined && stored.value.state !== state)
    await unit.update({ ...stored, value: { ...stored.value, state } })
}

export const certificateExpiryJob: JobHandler = {
  run: async ({ tenant, id }: Job): Promise<Done | Postponed> => {
    const notAfter = await endOf(tenant, id)
    if (notAfter === undefined) return { commit: async () => undefined }
    const now = new Date()
    const state = expiryStateOf(notAfter, now)
    const commit = (unit: UnitOfWork) => setState(unit, id, state)
    if (state === 'expired') return { commit }
    const next = state === 'valid' ? notAfter.getTime() - EXPIRING_MS : notAfter.getTime() + 1
    return { later: next - now.getTime(), commit }
  },
  // A certificate expires, whatever has failed.
  repeatAfter: 24 * 60 * 60_000,
  giveUp: async () => undefined,
}

const endOf = async (tenant: string, id: string): Promise<Date | undefined> => {
  try {
    const { value } = await requireRecord(tenant, type, id)
    return new Date(v.parse(StoredCertificate, value).notAfter)
  } catch (error) {
    if (isAgentError(error, 'resource.not_found')) return undefined
    throw error
  }
}
