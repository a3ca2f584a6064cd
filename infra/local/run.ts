/** Runs the local stage until Ctrl-C, or until a part of it has failed. */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { StageFailure } from '../failure.ts'
import type { Serverless } from '../service.ts'
import { announce } from './announcement.ts'
import { npmEnded } from './npm-ended.ts'
import { localSettings } from './settings.ts'
import { type Stage, startStage } from './stage.ts'

/** Ms that running requests and batches have to end. Batches that do not are handled again after the next start. */
const GRACE_MS = 5_000

/** Resolves when the stage is to end: after Ctrl-C, `kill`, or the end of the program that started it, npm or one with an IPC channel. */
const endWanted = (): Promise<unknown> =>
  Promise.race([
    once(process, 'SIGINT'),
    once(process, 'SIGTERM'),
    ...(process.env.npm_lifecycle_event === 'start' ? [npmEnded()] : []),
    ...(process.connected ? [once(process, 'disconnect')] : []),
  ])

const runUntilEnd = async (stage: Stage): Promise<void> => {
  await announce(stage)
  await Promise.race([endWanted(), stage.failed])
  await Promise.race([stage.stop(), setTimeout(GRACE_MS)])
}

/** Ends the process: with 0 when it was told to, otherwise with 1 and a line that says why. */
export const run = async (serverless: Serverless): Promise<never> => {
  // The CLI sets it to infinity, which makes every error slow.
  Error.stackTraceLimit = 10
  // Only their user may read the files of the stage and its database.
  process.umask(0o077)
  try {
    await runUntilEnd(await startStage(serverless, localSettings(process.env)))
    return process.exit(0)
  } catch (error) {
    console.error(error instanceof StageFailure ? error.message : error)
    return process.exit(1)
  }
}
