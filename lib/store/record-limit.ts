/** The maximum number of a tenant's records, where their kind has one: what a request reads of them is bounded. */
import { AgentError, type ErrorCode } from '../errors.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import { allRecordsPartition } from './index-entries.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Throws `code` where the unit's tenant has as many records of a kind as it may. `what`: their name in the message. */
export const assertBelowMaximum = async (
  unit: UnitOfWork,
  { type, atMost }: RecordDefinition & { atMost: number },
  what: string,
  code: ErrorCode = 'openid.too_many',
): Promise<void> => {
  // All pages: one ends at 1 MB, which fewer may have.
  const entries = await unit.queryAll(allRecordsPartition(unit.tenant, type))
  if (entries.length >= atMost) throw new AgentError(code, `there are ${atMost} ${what}, which is the maximum`)
}
