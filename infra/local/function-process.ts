/** A process that holds all functions, tied to the life of the stage. What runs in it is function-runtime.ts. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { StageFailure } from '../failure.ts'
import { stopChild, tieToUs } from './child-process.ts'
import { answerOf, type Invocation, Loaded, Outcome, type Start } from './function-messages.ts'

const RUNTIME = fileURLToPath(new URL('./function-runtime.ts', import.meta.url))

/** When a function's time is over, the process says so itself, unless it hangs in a loop: then it is killed so many ms later. */
const GRACE_MS = 2_000

/** Variables that are undefined are not there. */
export type Environment = Record<string, string | undefined>

export class FunctionProcess {
  /** Resolves when every function is loaded; rejects with a `StageFailure` when one can't be, or when the process ends before. */
  readonly loaded: Promise<void>
  /** Resolves with how it ended: an exit code or a signal. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  /** Starts it with `environment` added to that of the stage. */
  constructor(start: Start, environment: Environment) {
    this.#child = fork(RUNTIME, {
      env: { ...process.env, ...environment },
      // Node's options are those of the environment, as on AWS.
      execArgv: [],
      detached: true,
      // Hands long texts on as they are.
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    tieToUs(this.#child)
    this.ended = once(this.#child, 'exit').then(([code, signal]) => String(signal ?? code))
    this.loaded = this.#load(start)
    // Nobody may be listening yet when it happens.
    this.loaded.catch(() => {})
    this.ended.then((how) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the process of the functions ended: ${how}`))
    })
  }

  /** Waits until the functions are loaded. Rejects with what the function throws, when it takes too long, and when the process ends. */
  async invoke(functionKey: string, event: unknown, timeoutMs: number): Promise<unknown> {
    await this.loaded
    const id = ++this.#lastId
    const outcome = Promise.withResolvers<unknown>()
    this.#waiting.set(id, outcome)
    const stuck = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs + GRACE_MS)
    const invocation: Invocation = { id, functionKey, event: JSON.stringify(event), timeoutMs }
    this.#child.send(invocation, (error) => {
      if (error !== null) outcome.reject(error)
    })
    try {
      return await outcome.promise
    } finally {
      clearTimeout(stuck)
      this.#waiting.delete(id)
    }
  }

  stop(): Promise<void> {
    return stopChild(this.#child)
  }

  async #load(start: Start): Promise<void> {
    this.#child.send(start)
    const said = once(this.#child, 'message').then(([message]) => v.parse(Loaded, message))
    const early = this.ended.then((how) => ({ problem: `The process of the functions ended: ${how}` }))
    const { problem } = await Promise.race([said, early])
    if (problem !== undefined) throw new StageFailure(problem)
    this.#child.on('message', (message) => {
      const outcome = v.safeParse(Outcome, message)
      if (outcome.success) this.#settle(outcome.output)
    })
  }

  #settle(outcome: Outcome): void {
    const { id, error } = outcome
    const waiting = this.#waiting.get(id)
    if (error === undefined) waiting?.resolve(answerOf(outcome))
    else waiting?.reject(Object.assign(new Error(error.message), { name: error.name }))
  }
}
