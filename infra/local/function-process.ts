/** A process that runs functions (function-runtime.ts), and ends with the stage. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { StageFailure } from '../failure.ts'
import { stopChild, tieToUs } from './child-process.ts'
import { type Invocation, Loaded, Outcome, resultOf, type Start } from './function-messages.ts'

const RUNTIME = fileURLToPath(new URL('./function-runtime.ts', import.meta.url))

/** The process reports a timeout by itself, unless it hangs in a loop: then it is killed so many ms later. */
const GRACE_MS = 2_000

/** Undefined variables are not set. */
export type Environment = Record<string, string | undefined>

export class FunctionProcess {
  /**
   * Resolves when all functions are loaded; rejects with a `StageFailure` if one can't be loaded or the process ends
   * before.
   */
  readonly loaded: Promise<void>
  /** Resolves with its exit code or signal. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  /** Starts it with `environment` added to that of the stage. */
  constructor(start: Start, environment: Environment) {
    this.#child = fork(RUNTIME, {
      env: { ...process.env, ...environment },
      // Node's options come from the environment, as on AWS.
      execArgv: [],
      detached: true,
      // It passes long texts on without encoding them.
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    tieToUs(this.#child)
    this.ended = once(this.#child, 'exit').then(([code, signal]) => String(signal ?? code))
    this.loaded = this.#load(start)
    // It may reject before there is a handler.
    this.loaded.catch(() => {})
    this.ended.then((how) => {
      for (const { reject } of this.#pending.values()) reject(new Error(`the process of the functions ended: ${how}`))
    })
  }

  /**
   * Waits until the functions are loaded. Rejects with the function's error, if it takes too long, and if the process
   * ends.
   */
  async invoke(functionKey: string, event: unknown, timeoutMs: number): Promise<unknown> {
    await this.loaded
    const id = ++this.#lastId
    const outcome = Promise.withResolvers<unknown>()
    this.#pending.set(id, outcome)
    const stuck = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs + GRACE_MS)
    const invocation: Invocation = { id, functionKey, event: JSON.stringify(event), timeoutMs }
    this.#child.send(invocation, (error) => {
      if (error !== null) outcome.reject(error)
    })
    try {
      return await outcome.promise
    } finally {
      clearTimeout(stuck)
      this.#pending.delete(id)
    }
  }

  stop(): Promise<void> {
    return stopChild(this.#child)
  }

  async #load(start: Start): Promise<void> {
    this.#child.send(start)
    const loaded = once(this.#child, 'message').then(([message]) => v.parse(Loaded, message))
    const early = this.ended.then((how) => ({ problem: `The process of the functions ended: ${how}` }))
    const { problem } = await Promise.race([loaded, early])
    if (problem !== undefined) throw new StageFailure(problem)
    this.#child.on('message', (message) => {
      const outcome = v.safeParse(Outcome, message)
      if (outcome.success) this.#finish(outcome.output)
    })
  }

  #finish(outcome: Outcome): void {
    const { id, error } = outcome
    const pending = this.#pending.get(id)
    if (error === undefined) pending?.resolve(resultOf(outcome))
    else pending?.reject(Object.assign(new Error(error.message), { name: error.name }))
  }
}
