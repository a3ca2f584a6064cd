/**
 * Invokes the service's functions as Lambda would: with JSON in and out, and with their timeouts. They run in a process
 * of their own with the environment of serverless.yml. Its NODE_OPTIONS forbid code from text (docs/adr/0014), which
 * the Serverless CLI needs.
 */
import type { Serverless } from '../service.ts'
import type { Start } from './function-messages.ts'
import { type Environment, FunctionProcess } from './function-process.ts'
import { never } from './pause.ts'

/** Rejects with the function's error, if it takes too long, and if its process ends. */
export type Invoke = (functionKey: string, event: unknown) => Promise<unknown>

export interface Functions {
  /** Resolves when those that share a process are loaded; rejects with a `StageFailure`. */
  loaded: Promise<void>
  /** Waits until they are loaded. */
  invoke: Invoke
  /** Rejects when a process of theirs has ended and can't be started again. */
  failed: Promise<never>
  stop(): Promise<void>
}

/**
 * A function with at least this timeout (seconds) computes for long, and would block the others in a shared process.
 */
const LONG = 60

/** Name of the process of those that share one; no function has it. */
const TOGETHER = ''

/**
 * Starts to load all functions in one process, whose caches they share, except those that run long: each of these has
 * its own, from its first invocation on.
 */
export const startFunctions = (
  { service, serviceDir }: Serverless,
  environment: Environment,
  resources: Record<string, string>,
): Functions => {
  const { functions, provider } = service
  const failed = Promise.withResolvers<never>()
  // It may reject before there is a handler.
  failed.promise.catch(() => {})
  const processes = new Map<string, ReturnType<typeof keepRunning>>()

  /** `name`: of the process. */
  const start = (name: string, keys: string[]) => {
    const of = <Value>(value: (key: string) => Value) => Object.fromEntries(keys.map((key) => [key, value(key)]))
    const handlers = of((key) => functions[key]?.handler ?? '')
    const permissions = of((key) => functions[key]?.permissions ?? [])
    const started = keepRunning({ folder: serviceDir, handlers, permissions, resources }, environment)
    started.failed.catch(failed.reject)
    processes.set(name, started)
    return started
  }
  const isAlone = (key: string) => (functions[key]?.timeout ?? 0) >= LONG
  const together = Object.keys(functions).filter((key) => !isAlone(key))
  const loaded = start(TOGETHER, together).loaded
  return {
    loaded,
    failed: failed.promise,
    invoke: async (key, event) => {
      const timeoutMs = (functions[key]?.timeout ?? provider.timeout) * 1000
      const name = isAlone(key) ? key : TOGETHER
      return (processes.get(name) ?? start(name, [key])).invoke(key, event, timeoutMs)
    },
    stop: async () => {
      await Promise.all([...processes.values()].map(({ stop }) => stop()))
    },
  }
}

/** Starts another process after a crash, as AWS does. */
const keepRunning = (functions: Start, environment: Environment) => {
  // Leases of the former process are void.
  const start = () => new FunctionProcess(functions, { ...environment, LEASES_VOID_BEFORE: String(Date.now()) })
  let current = start()
  let stopping = false

  const keepOneRunning = async (): Promise<never> => {
    for (;;) {
      await current.loaded
      const how = await current.ended
      if (stopping) return never()
      console.error(
        JSON.stringify({ level: 'error', message: 'the process of the functions ended: another starts', how }),
      )
      current = start()
    }
  }
  return {
    loaded: current.loaded,
    /** Rejects when one of these could not be loaded. */
    failed: keepOneRunning(),
    invoke: (...invocation: Parameters<FunctionProcess['invoke']>) => current.invoke(...invocation),
    stop: () => {
      stopping = true
      return current.stop()
    },
  }
}
