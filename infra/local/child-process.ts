/** Child processes that end with the stage, even if it is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import type { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'

const POLL_MS = 10

/**
 * Starts a shell that kills the child when its pipe from this process closes. The pipe also closes after SIGKILL, when
 * no handler of ours would run.
 */
const killWhenWeEnd = (child: ChildProcess, pid: number): void => {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell the child only ends with `stopChild`.
  guard.once('error', () => {})
  guard.unref()
  // Another process may get the same id later.
  child.once('exit', () => guard.kill())
}

/**
 * Starts a guard that kills this process when the pipe at 3 closes without a line, then becomes "$0" with its
 * arguments.
 */
const GUARDED = `sh -c 'read -r _ || kill -9 "$0"' $$ <&3 >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

/**
 * Starts a program that ends with this process, whenever that is killed: the program runs only after its guard has
 * started. For systems with a POSIX shell. Ctrl-C does not end it before the stage stops it.
 */
export const spawnGuarded = (command: string, args: string[]): ChildProcess => {
  const child = spawn('sh', ['-c', GUARDED, command, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const guard = child.stdio[3] as Writable
  // If the program was killed, its guard may have been, too.
  guard.on('error', () => {})
  // Another process may get the same id later.
  child.once('exit', () => guard.end('\n'))
  return child
}

/**
 * Makes `child`, which another module has started, end with this process, unless that is killed before this is called.
 * Spawn it `detached`, so that Ctrl-C does not end it before the stage stops it.
 */
export const tieToUs = (child: ChildProcess): void => {
  if (child.pid !== undefined) killWhenWeEnd(child, child.pid)
}

/** Ends `child`, and resolves when it has ended. */
export const stopChild = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

/** Rejects when `child` ends or could not be started, with the last line that it wrote. */
const whenEnded = async (child: ChildProcess): Promise<never> => {
  let output = ''
  const listen = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2_000)
  }
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  const [code] = await once(child, 'exit')
  throw new Error(output.trim().split('\n').at(-1) || `it ended with ${code}`)
}

/**
 * One request. Not with `fetch`, whose first call in a process takes 40 ms of processor time, in every test file with a
 * database.
 */
const ask = async (url: string, signal: AbortSignal): Promise<void> => {
  const [response] = await once(get(url, { agent: false, signal }), 'response')
  await once(response.resume(), 'end')
}

/** Resolves with the first response from `url`, whatever it is. */
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

/** Resolves when `child` answers HTTP requests at `url`; rejects if it ends before. */
export const whenServing = async (child: ChildProcess, url: string): Promise<void> => {
  const polling = new AbortController()
  try {
    await Promise.race([whenAnswered(url, polling.signal), whenEnded(child)])
  } finally {
    polling.abort()
  }
}
