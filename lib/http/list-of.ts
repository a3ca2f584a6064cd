/** Operations that list the records of a kind. */

import type * as v from 'valibot'
import type { Contract, Schema } from '../interface/contract.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import type { ListQuery } from '../store/item-list.ts'
import { listFiltered } from '../store/record-lists.ts'
import { query } from './query.ts'
import { pageOf } from './request.ts'

/** A contract whose query has the paging, and as filters what the records have. */
interface ListContract extends Contract {
  security: 'token'
  writes?: undefined
  parameters: {
    path?: Schema
    query: v.GenericSchema<unknown, ListQuery & Record<string, string | number | undefined>>
  }
}

/**
 * Makes a Lambda handler that lists the records of the token's agent, filtered by the other parameters of the query.
 *
 * @example
 * export const getProofs = listOf(proofRecords, GetProofs)
 */
export const listOf = (records: RecordDefinition, contract: ListContract) =>
  query(contract, async ({ agent, query }) => {
    const page = await listFiltered(agent, records, query)
    return pageOf(page, records.view, { path: contract.path, query })
  })
