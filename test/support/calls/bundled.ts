/** Example calls of bundled functions. */
import type { BundledStage } from '../bench/bundled-stage.ts'
import { contractOf, functionOf } from '../source/operation-functions.ts'
import type { CallOperation } from './call-scene.ts'

/** `token` is a root token, for operations that look at tokens themselves. */
export const callBundled =
  (stage: BundledStage, token: string): CallOperation =>
  (operationId, { headers, ...call }) => {
    const { method } = contractOf(operationId)
    return stage.call(functionOf(operationId), { ...call, method, headers: { Authorization: token, ...headers } })
  }
