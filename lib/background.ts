/** Invocations that nobody waits for: what fails, and what hardly ends in time, is told by the log. */
import type { Context } from 'aws-lambda'
import { errorName } from './errors.ts'
import { measure } from './metrics.ts'

type Handler<A extends unknown[], R> = (...args: A) => Promise<R>

/** Tells of an invocation that takes 90 % of its function's time or more. */
export const inTime =
  <A extends unknown[], R>(handle: Handler<A, R>): Handler<A, R> =>
  async (...args) => {
    const context = contextIn(args)
    const time = context?.getRemainingTimeInMillis() ?? 0
    try {
      return await handle(...args)
    } finally {
      if (context !== undefined && context.getRemainingTimeInMillis() <= time / 10) {
        const fields = { event: 'function.slow', function: context.functionName } as const
        measure('warn', 'an invocation has taken nearly all of its time', fields, { values: { SlowFunctions: 1 } })
      }
    }
  }

/** Tells of an error, too, which Lambda gets as it is: the event comes again. */
export const background = <A extends unknown[], R>(handle: Handler<A, R>): Handler<A, R> =>
  inTime(async (...args) => {
    try {
      return await handle(...args)
    } catch (error) {
      const fields = { event: 'function.failed', function: contextIn(args)?.functionName } as const
      const what = { ...fields, error: errorName(error) }
      measure('error', 'an invocation has failed', what, { values: { FunctionErrors: 1 } })
      throw error
    }
  })

/** Lambda's second argument, which tests leave out. */
const contextIn = ([, context]: unknown[]): Context | undefined => (isContext(context) ? context : undefined)

const isContext = (value: unknown): value is Context =>
  typeof value === 'object' && value !== null && 'getRemainingTimeInMillis' in value
