/** Operations that delete a record, and the items that exist only with it. */

import type * as v from 'valibot'
import { AgentError } from '../errors.ts'
import type { Contract } from '../interface/contract.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import type { StoredRecord } from '../store/stored-record.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { command } from './command.ts'

interface RemoveContract extends Contract {
  security: 'token'
  writes: true
  parameters: { path: v.GenericSchema<unknown, Record<string, string>> }
}

/**
 * Makes a Lambda handler that deletes a record of the token's agent, whose id is the path's only parameter, with its
 * index entries. `removeMore` deletes the other items that exist only with it.
 *
 * @example
 * export const deleteOutOfBandRecord = removeOf(outOfBandRecords, DeleteOutOfBandRecord)
 */
export const removeOf = (
  { type }: RecordDefinition,
  contract: RemoveContract,
  removeMore?: (unit: UnitOfWork, id: string, record: StoredRecord) => unknown,
) =>
  command(contract, async ({ agent, path, unit }) => {
    const [id = ''] = Object.values(path)
    const record = await unit.read(agent, type, id)
    if (record === undefined) throw new AgentError('resource.not_found', 'there is no such record')
    await unit.remove(agent, type, id)
    await removeMore?.(unit, id, record)
    return undefined
  })
