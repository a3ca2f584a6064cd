/** Runs in the process of the functions: loads them, and runs their invocations concurrently, with JSON in and out. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { reason } from '../failure.ts'
import type { RoleGuard } from '../roles/guard.ts'
import { splitHandler } from '../service.ts'
import { cacheCompiled } from './compile-cache.ts'
import { Invocation, type Loaded, type Outcome, Start, toOutcome } from './function-messages.ts'
import { guardFunctions } from './guarded-functions.ts'

/** The part of a context that functions use. */
type FunctionContext = Pick<Context, 'awsRequestId' | 'functionName' | 'getRemainingTimeInMillis'>

type Handler = (event: unknown, context: FunctionContext) => unknown

const say = (message: Loaded | Outcome): void => void process.send?.(message)

const load = async (folder: string, handler: string): Promise<Handler> => {
  const { module, name } = splitHandler(handler)
  try {
    const exports = await import(pathToFileURL(join(folder, `${module}.ts`)).href)
    if (typeof exports[name] !== 'function') throw new Error(`it exports no function ${name}`)
    return exports[name]
  } catch (error) {
    throw new Error(`${module}.ts can't be loaded: ${reason(error)}`, { cause: error })
  }
}

/** Loads all functions at the start, so that an error is reported at once and no first caller waits. */
const loadAll = async ({ folder, handlers }: Start): Promise<Map<string, Handler>> => {
  const loaded = new Map<string, Handler>()
  for (const [key, handler] of Object.entries(handlers)) loaded.set(key, await load(folder, handler))
  return loaded
}

const text = (value: unknown): string => (typeof value === 'string' ? value : inspect(value))

const logFailure = ({ stack }: Error): void =>
  console.error(JSON.stringify({ level: 'error', message: 'function failed', error: text(stack) }))

/** A function may throw anything. */
const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(inspect(thrown)))

/** Ends the invocation to which the running code belongs, with an error. */
const currentInvocation = new AsyncLocalStorage<(error: unknown) => void>()

/**
 * Resolves with the function's result. Rejects with its error, after `timeoutMs`, and with errors that it does not
 * handle: a rejection that it does not await, an error in a callback. On Lambda these end the process; here other
 * invocations share it.
 */
const call = async (
  handler: Handler,
  { functionKey, event, timeoutMs }: Invocation,
  guard: RoleGuard,
): Promise<unknown> => {
  const deadline = performance.now() + timeoutMs
  const failed = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => failed.reject(new Error(`${functionKey} takes longer than ${timeoutMs} ms`)),
    timeoutMs,
  )
  let hasEnded = false
  const end = (error: unknown) => (hasEnded ? logFailure(toError(error)) : failed.reject(error))
  const context: FunctionContext = {
    awsRequestId: randomUUID(),
    functionName: functionKey,
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
  }
  try {
    const result = currentInvocation.run(end, () => guard.run(functionKey, () => handler(JSON.parse(event), context)))
    return await Promise.race([result, failed.promise])
  } finally {
    hasEnded = true
    clearTimeout(timer)
  }
}

/** Logs a function's error, as Lambda does. The authorizer's `Unauthorized` is a result. */
const toFailure = (id: number, thrown: unknown): Outcome => {
  const error = toError(thrown)
  const { name, message } = error
  if (message !== 'Unauthorized') logFailure(error)
  return { id, error: { name: text(name), message: text(message) } }
}

const run = async (handlers: Map<string, Handler>, invocation: Invocation, guard: RoleGuard): Promise<void> => {
  const { id, functionKey } = invocation
  try {
    const handler = handlers.get(functionKey)
    if (handler === undefined) throw new Error(`there is no function ${functionKey}`)
    say(toOutcome(id, await call(handler, invocation, guard)))
  } catch (thrown) {
    say(toFailure(id, thrown))
  }
}

/** For unhandled errors. Those after the invocation's end, or while functions are loaded, are only logged. */
const endInvocation = (error: unknown): void => {
  const end = currentInvocation.getStore()
  if (end === undefined) logFailure(toError(error))
  else end(error)
}

process.on('unhandledRejection', endInvocation)
process.on('uncaughtException', endInvocation)
// The stage has ended, so results are not needed.
process.once('disconnect', () => process.exit())

/** Besides what the system, and NODE_EXTRA_CA_CERTS of the stage's user, trust. */
const trust = (path: string): void => setDefaultCACertificates([...getCACertificates(), readFileSync(path, 'utf8')])

cacheCompiled()
if (process.env.LOCAL_CERTIFICATE) trust(process.env.LOCAL_CERTIFICATE)
const [start] = await once(process, 'message')
try {
  const started = v.parse(Start, start)
  const guard = await guardFunctions(started)
  const handlers = await loadAll(started)
  process.on('message', (message) => run(handlers, v.parse(Invocation, message), guard))
  say({})
  // Node does it at the end of a process, but not after a signal.
  flushCompileCache()
} catch (error) {
  say({ problem: reason(error) })
}
