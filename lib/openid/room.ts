/** Upper limits of what a tenant has: what every request of a verifier reads is bounded. */
import { AgentError } from '../errors.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import { everyPartition } from '../store/index-entries.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

const MAX_RECORDS = 50

/** Throws `openid.too_many` where the unit's tenant has as many records of a kind as it may. */
export const assertRoom = async (unit: UnitOfWork, { type }: RecordDefinition, what: string): Promise<void> => {
  // All pages: one ends at 1 MB, which fewer may have.
  const entries = await unit.queryAll(everyPartition(unit.tenant, type))
  if (entries.length >= MAX_RECORDS)
    throw new AgentError('openid.too_many', `there are ${MAX_RECORDS} ${what}, which is the maximum`)
}
