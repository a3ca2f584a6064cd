/** A program that runs beside the stage and ends with it, however the stage ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout } from 'node:timers/promises'

const POLL_MS = 10

/**
 * A shell that waits for the end of our pipe to it and then kills. The pipe ends with this process, SIGKILL included: no handler of ours
 * would run then.
 */
const killWhenWeEnd = (child: ChildProcess, pid: number): void => {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Where there is no shell, stopping in order is all there is.
  guard.once('error', () => {})
  guard.unref()
  // The number may be another process's by the time that we end.
  child.once('exit', () => guard.kill())
}

/** Ties `child` to this process. It is to be spawned `detached`, so that Ctrl-C leaves it running until the stage has finished with it. */
export const tieToUs = (child: ChildProcess): void => {
  if (child.pid !== undefined) killWhenWeEnd(child, child.pid)
}

/** Resolves when `child` has ended; one that could not be started has. */
export const stopChild = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

/** Rejects with the last line that `child` wrote when it ends, or when it could not be started. */
const whenEnded = async (child: ChildProcess): Promise<never> => {
  let said = ''
  const listen = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000)
  }
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  const [code] = await once(child, 'exit')
  throw new Error(said.trim().split('\n').at(-1) || `it ended with ${code}`)
}

/** Asks once. Not `fetch`: the first one of a process takes 40 ms of processor time, and every test file with a database would pay. */
const ask = async (url: string, signal: AbortSignal): Promise<void> => {
  const [response] = await once(get(url, { agent: false, signal }), 'response')
  await once(response.resume(), 'end')
}

/** Resolves when somebody answers at `url`, whatever the answer is. */
const whenAnswered = async (url: string, signal: AbortSignal): Promise<void> => {
  for (;;) {
    try {
      await ask(url, signal)
      return
    } catch {
      await setTimeout(POLL_MS, undefined, { signal })
    }
  }
}

/** Resolves when `child` answers HTTP requests at `url`; rejects when it ends instead. */
export const whenServing = async (child: ChildProcess, url: string): Promise<void> => {
  const waiting = new AbortController()
  try {
    await Promise.race([whenAnswered(url, waiting.signal), whenEnded(child)])
  } finally {
    waiting.abort()
  }
}
