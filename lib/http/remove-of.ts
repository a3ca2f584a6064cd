/** Operations that delete a record and nothing else. */

import type * as v from 'valibot'
import { AgentError } from '../errors.ts'
import type { Contract } from '../interface/contract.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import { command } from './command.ts'

interface RemoveContract extends Contract {
  security: 'token'
  writes: true
  parameters: { path: v.GenericSchema<unknown, Record<string, string>> }
}

/**
 * Makes a Lambda handler that deletes a record of the token's agent, whose id is the path's only parameter, with its
 * index entries.
 *
 * @example
 * export const deleteOutOfBandRecord = removeOf(outOfBandRecords, DeleteOutOfBandRecord)
 */
export const removeOf = ({ type }: RecordDefinition, contract: RemoveContract) =>
  command(contract, async ({ agent, path, unit }) => {
    const [id = ''] = Object.values(path)
    if (!(await unit.remove(agent, type, id))) throw new AgentError('resource.not_found', 'there is no such record')
    return undefined
  })
