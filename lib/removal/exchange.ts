/** Deletes a credential or proof exchange with its messages and its job. */
import { AgentError } from '../errors.ts'
import { jobItem } from '../jobs/job.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import { continueRevocation } from '../revocation/pending-revocation.ts'
import { markDeleted } from '../store/deleted-record.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { removeOwnedInUnit } from './remove-in-unit.ts'

type ExchangeDefinition = RecordDefinition & Required<Pick<RecordDefinition, 'ends'>>

/**
 * Deletes an exchange in the unit. `abandon` notifies the other agent if the exchange is open: without it throws
 * `exchange.out_of_turn`. Throws `resource.not_found`.
 */
export const removeExchange = async (
  unit: UnitOfWork,
  { type, ends }: ExchangeDefinition,
  id: string,
  abandon?: (id: string) => Promise<unknown>,
): Promise<undefined> => {
  const { tenant } = unit
  const record = await unit.read(tenant, type, id)
  if (record === undefined) throw new AgentError('resource.not_found', 'there is no such exchange')
  const state = String(record.value.state)
  if (!ends.states.includes(state)) {
    if (abandon === undefined)
      throw new AgentError('exchange.out_of_turn', `the exchange is open, its state is ${state}: it can be abandoned`)
    await abandon(id)
  }
  continueRevocation(unit, record)
  await removeOwnedInUnit(unit, { tenant, type, id, value: record.value }, [jobItem])
  await unit.remove(tenant, type, id)
  markDeleted(unit, { tenant, type, id, state, version: record.version + 1 })
}
