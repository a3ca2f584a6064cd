/** Limits the number of a tenant's records of a kind, so that a request that reads all of them is bounded. */
import { AgentError, type ErrorCode } from '../errors.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import { allRecordsPartition } from './index-entries.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Throws `code` if the unit's tenant has the maximum number of records of a kind. `what`: their name in the message. */
export const assertBelowMaximum = async (
  unit: UnitOfWork,
  { type, atMost }: RecordDefinition & { atMost: number },
  what: string,
  code: ErrorCode = 'openid.too_many',
): Promise<void> => {
  // All pages, because a page ends at 1 MB.
  const entries = await unit.queryAll(allRecordsPartition(unit.tenant, type))
  if (entries.length >= atMost) throw new AgentError(code, `there are ${atMost} ${what}, which is the maximum`)
}
