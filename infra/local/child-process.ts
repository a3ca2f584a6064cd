/** A program that runs beside the stage and ends with it, however the stage ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * A shell that waits for the end of our pipe to it and then kills. The pipe ends with this process, SIGKILL included: no handler of ours
 * would run then.
 */
const killWhenWeEnd = (pid: number): void => {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Where there is no shell, stopping in order is all there is.
  guard.once('error', () => {})
  guard.unref()
}

/** Ties `child` to this process. It is to be spawned `detached`, so that Ctrl-C leaves it running until the stage has finished with it. */
export const tieToUs = (child: ChildProcess): void => {
  if (child.pid !== undefined) killWhenWeEnd(child.pid)
}

export const stopChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

/** Resolves when `child` writes something that matches; rejects with the last of what it wrote when it ends instead. */
export const whenItSays = (child: ChildProcess, expected: RegExp): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    const listen = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000)
      if (expected.test(said)) resolve()
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(said.trim().split('\n').at(-1) ?? 'ended')))
  })
