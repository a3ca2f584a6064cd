/** Asynchronous invocations: logs those that fail or almost reach their timeout. */
import type { Context } from 'aws-lambda'
import { errorName } from './errors.ts'
import { measure } from './metrics.ts'

type Handler<A extends unknown[], R> = (...args: A) => Promise<R>

/** Logs an invocation that takes 90 % of its function's timeout or more. */
export const logSlowInvocations =
  <A extends unknown[], R>(handle: Handler<A, R>): Handler<A, R> =>
  async (...args) => {
    const context = contextIn(args)
    const time = context?.getRemainingTimeInMillis() ?? 0
    try {
      return await handle(...args)
    } finally {
      if (context !== undefined && context.getRemainingTimeInMillis() <= time / 10) {
        const fields = { event: 'function.slow', function: context.functionName } as const
        measure('warn', 'invocation almost reached its timeout', fields, { values: { SlowFunctions: 1 } })
      }
    }
  }

/** Also logs an error, and throws it, so that Lambda delivers the event again. */
export const background = <A extends unknown[], R>(handle: Handler<A, R>): Handler<A, R> =>
  logSlowInvocations(async (...args) => {
    try {
      return await handle(...args)
    } catch (error) {
      const fields = { event: 'function.failed', function: contextIn(args)?.functionName } as const
      const what = { ...fields, error: errorName(error) }
      measure('error', 'invocation failed', what, { values: { FunctionErrors: 1 } })
      throw error
    }
  })

/** Lambda's second argument, which tests omit. */
const contextIn = ([, context]: unknown[]): Context | undefined => (isContext(context) ? context : undefined)

const isContext = (value: unknown): value is Context =>
  typeof value === 'object' && value !== null && 'getRemainingTimeInMillis' in value
