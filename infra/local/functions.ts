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
  /** Resolves when every function is loaded; rejects with a `StageFailure`. */
  loaded: Promise<void>
  /** Waits until they are loaded. */
  invoke: Invoke
  /** Rejects when their process has ended and can't be started again. */
  failed: Promise<never>
  stop(): Promise<void>
}

/**
 * A function with at least this timeout (seconds) computes for long, and would block the others in a shared process.
 */
const LONG = 60

/**
 * Starts to load all functions. They share a process and its caches, except those that run long. With `RECORD_CALLS`
 * each has its own process, as on Lambda, so that no call is saved by what another function has cached.
 */
export const startFunctions = (
  { service, serviceDir }: Serverless,
  environment: Environment,
  resources: Record<string, string>,
): Functions => {
  const { functions, provider } = service
  const handlers = Object.entries(functions).map(([key, { handler }]) => [key, handler] as const)
  const start = (some: typeof handlers) =>
    keepRunning({ folder: serviceDir, handlers: Object.fromEntries(some), resources }, environment)
  const isAlone = ([key]: (typeof handlers)[number]) =>
    process.env.RECORD_CALLS !== undefined || (functions[key]?.timeout ?? 0) >= LONG
  const together = handlers.filter((one) => !isAlone(one))
  const shared = together.length === 0 ? undefined : start(together)
  const running = new Map(
    handlers.map((one) => [one[0], shared === undefined || isAlone(one) ? start([one]) : shared] as const),
  )
  const processes = [...new Set(running.values())]
  const loaded = Promise.all(processes.map((one) => one.loaded)).then(() => {})
  const failed = Promise.race(processes.map((one) => one.failed))
  // Nobody may be listening yet when it happens.
  for (const outcome of [loaded, failed]) outcome.catch(() => {})
  return {
    loaded,
    failed,
    invoke: async (functionKey, event) => {
      const timeoutMs = (functions[functionKey]?.timeout ?? provider.timeout) * 1000
      return running.get(functionKey)?.invoke(functionKey, event, timeoutMs)
    },
    stop: async () => {
      await Promise.all(processes.map(({ stop }) => stop()))
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
  const failed = keepOneRunning()
  // Nobody may be listening yet when it happens.
  failed.catch(() => {})
  return {
    loaded: current.loaded,
    failed,
    invoke: (...invocation: Parameters<FunctionProcess['invoke']>) => current.invoke(...invocation),
    stop: () => {
      stopping = true
      return current.stop()
    },
  }
}
