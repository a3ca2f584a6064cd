/** A function in a separate plain Node process, started and called as Lambda does it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const RUNTIME = fileURLToPath(new URL('./runtime.mjs', import.meta.url))

/** Time in which a process must end by itself, in ms. */
const END_MS = 1_000

export interface FunctionProcess {
  /** From the start of the process until the handler was loaded, in ms. */
  readyMs: number
  /** Calls the handler; events wait for each other. Rejects with what it throws, and when the process ends. */
  invoke(event: unknown): Promise<unknown>
  /** Processor time until its last line, in ms. */
  cpuMs(): number
  /** What it wrote to stderr. */
  complaints(): string
  stop(): Promise<void>
}

interface Said {
  cpuMs: number
  ready?: true
  answer?: unknown
  error?: string
}

/** Each line of the process, as soon as it arrives; the longest waiting reader gets it. */
class Lines {
  readonly #waiting: PromiseWithResolvers<Said>[] = []
  #ended: Error | undefined

  constructor(child: ChildProcess, complaints: () => string) {
    createInterface({ input: child.stdio[3] as Readable }).on('line', (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    )
    child.once('exit', (code, signal) => {
      this.#ended = new Error(`the process ended with ${code ?? signal}: ${complaints()}`)
      for (const { reject } of this.#waiting.splice(0)) reject(this.#ended)
    })
  }

  next(): Promise<Said> {
    const line = Promise.withResolvers<Said>()
    if (this.#ended === undefined) this.#waiting.push(line)
    else line.reject(this.#ended)
    return line.promise
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts `handler` of `module` with these environment variables and no others. Rejects with what it wrote when it does not start. */
export const startFunction = async (
  module: string,
  handler: string,
  environment: Record<string, string>,
): Promise<FunctionProcess> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [RUNTIME, module, handler], {
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let complaints = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString()
  })
  child.stdin?.on('error', () => {})
  const lines = new Lines(child, () => complaints)
  let { cpuMs } = await lines.next()
  const readyMs = performance.now() - startedAt

  const call = async (event: unknown): Promise<unknown> => {
    const next = lines.next()
    child.stdin?.write(`${JSON.stringify(event)}\n`)
    const { answer, error, ...said } = await next
    cpuMs = said.cpuMs
    if (error !== undefined) throw new Error(error)
    return answer
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    readyMs,
    cpuMs: () => cpuMs,
    complaints: () => complaints,
    invoke: (event) => {
      const called = last.then(() => call(event))
      last = called.catch(() => {})
      return called
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      const impatient = setTimeout(() => child.kill('SIGKILL'), END_MS)
      child.stdin?.end()
      await exited
      clearTimeout(impatient)
    },
  }
}
