/** Operations that change something: each is one transaction. */
import type { Contract } from '../interface/contract.ts'
import type { ResponseCodec } from '../store/idempotency.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { inTransaction } from './in-transaction.ts'
import { defineOperation, type Implementation } from './operation.ts'

/**
 * Creates a Lambda handler that runs `handle` in one transaction and, if the contract accepts an `Idempotency-Key`,
 * once for each key. It runs for the token's agent, unless `authorize` returns another one.
 *
 * @example
 * export const sendPing = command(SendPing, ({ path, body }) => sendTrustPing(path.connectionId, body))
 */
export const command = <const C extends Contract & { writes: true }, Prepared = undefined>(
  contract: C,
  implementation: Implementation<C, Prepared, UnitOfWork, ResponseCodec>,
) => defineOperation(contract, implementation, inTransaction)
