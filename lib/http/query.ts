/** Operations that only read. */
import type { Contract } from '../interface/contract.ts'
import { defineOperation, type Implementation } from './operation.ts'

/**
 * Creates a Lambda handler that reads for the token's agent, unless `authorize` returns another one. Without a token
 * there is no agent.
 *
 * @example
 * export const getProofById = query(GetProofById, ({ agent, path }) => showRecord(agent, proofRecords, path.proofRecordId))
 */
export const query = <const C extends Contract & { writes?: undefined }>(
  contract: C,
  implementation: Implementation<C, undefined, undefined, undefined>,
) => defineOperation(contract, implementation)
