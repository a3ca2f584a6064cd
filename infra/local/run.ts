/** Runs the local stage from start to end: until Ctrl-C, or until something that it can't do without is gone. */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { StageFailure } from '../failure.ts'
import type { Serverless } from '../service.ts'
import { announce } from './announcement.ts'
import { npmEnded } from './npm-ended.ts'
import { localSettings } from './settings.ts'
import { type Stage, startStage } from './stage.ts'

/** How long requests and batches that are being worked on may take to end, in ms; what does not is delivered after the next start. */
const GRACE_MS = 5_000

/** Resolves when somebody wants the stage to end: Ctrl-C, `kill`, or the end of the program that started it, by npm or with a channel. */
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

/** Ends the process: with 0 when it was told to, else with 1 and a line on why. */
export const run = async (serverless: Serverless): Promise<never> => {
  // The CLI makes it infinite, and every error that a function throws would pay for it.
  Error.stackTraceLimit = 10
  // What the stage and its database write is for their user only.
  process.umask(0o077)
  try {
    await runUntilEnd(await startStage(serverless, localSettings(process.env)))
    return process.exit(0)
  } catch (error) {
    console.error(error instanceof StageFailure ? error.message : error)
    return process.exit(1)
  }
}
