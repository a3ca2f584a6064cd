/** Operations that list records of a type. */

import type * as v from 'valibot'
import type { Contract, Schema } from '../interface/contract.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import type { ListQuery } from '../store/item-list.ts'
import { listFiltered } from '../store/record-lists.ts'
import { query } from './query.ts'
import { pageOf } from './request.ts'

/** A contract whose query has paging parameters, and filters by fields or tags of the records. */
interface ListContract extends Contract {
  security: 'token'
  writes?: undefined
  parameters: {
    path?: Schema
    query: v.GenericSchema<unknown, ListQuery & Record<string, string | number | undefined>>
  }
}

/**
 * Creates a Lambda handler that lists records of the token's agent, filtered by the other parameters of the query.
 *
 * @example
 * export const getProofs = listOf(proofRecords, GetProofs)
 */
export const listOf = (records: RecordDefinition, contract: ListContract) =>
  query(contract, async ({ agent, query }) => {
    const page = await listFiltered(agent, records, query)
    return pageOf(page, records.view, { path: contract.path, query })
  })
