/** A local stage of its own for a test: `npm start` in a child process on a free port, and its message when it is ready. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { ReadyStage } from '../../../infra/local/announcement.ts'
import { localIssuer, type TokenClaims } from '../../../infra/local/issuer.ts'

export interface StageOptions {
  /** 0, the default, picks a free one. */
  port?: number
  /** Keeps data for a stage that is started with the same folder later. */
  dataDir?: string
  /** Further environment variables. */
  env?: Record<string, string>
}

export interface RunningStage extends ReadyStage {
  /** A token of the stage's issuer. */
  token(claims: TokenClaims): Promise<string>
  /** Its output so far. */
  output(): string
  /** Stops it normally; resolves with its exit code. */
  stop(): Promise<number | null>
  /** Ends it as a crash would, during its work. */
  kill(): Promise<void>
}

/** The first message of the stage, or its output when it ended without one. */
const whenReady = async (child: ChildProcess, output: () => string): Promise<ReadyStage> => {
  const ready = once(child, 'message').then(([message]) => message as ReadyStage)
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`stage ended with ${code}: ${output()}`)),
  )
  return Promise.race([ready, failed])
}

/** Tests and measurements exceed every rate per second. */
const UNTHROTTLED = { OPERATION_RATE: '100000' }

/** Starts a stage. Rejects with its output when it does not start. */
export const startStage = async ({ port = 0, dataDir, env = {} }: StageOptions = {}): Promise<RunningStage> => {
  const child = fork(resolve('infra/local/start.ts'), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // In `test`, which vitest sets, didwebvh-ts writes every log that it reads into a file.
    env: {
      ...UNTHROTTLED,
      ...process.env,
      NODE_ENV: 'development',
      ...env,
      PORT: String(port),
      DATA_DIR: dataDir ?? '',
    },
  })
  let written = ''
  const write = (chunk: Buffer) => {
    written += chunk.toString()
  }
  child.stdout?.on('data', write)
  child.stderr?.on('data', write)

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
    return child.exitCode
  }

  /** A function may handle a denial by its role, and its tests not notice. */
  const endInOrder = async (): Promise<number | null> => {
    const code = await end('SIGTERM')
    const refusal = written.match(/the role of .* does not allow .*/)
    if (refusal !== null) throw new Error(refusal[0])
    return code
  }

  const ready = await whenReady(child, () => written)
  const issuer = await localIssuer(dataDir ?? resolve('.data'))
  return {
    ...ready,
    token: (claims) => issuer.sign(claims),
    output: () => written,
    stop: endInOrder,
    kill: async () => {
      await end('SIGKILL')
    },
  }
}
