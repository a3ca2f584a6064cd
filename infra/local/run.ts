/** Runs the local stage until Ctrl-C, or until a part of it has failed. */
import { setTimeout } from 'node:timers/promises'
import type { Serverless } from '../service.ts'
import { announce } from './announcement.ts'
import { endFailed, endWanted, orEnd } from './ending.ts'
import { localSettings } from './settings.ts'
import { type Stage, startStage } from './stage.ts'

/** Options of `serverless offline start`, in place of the setting PORT and the loopback address. */
export interface LocalOptions {
  httpPort?: string
  host?: string
}

/** Ms that running requests and batches have to end. Batches that do not are handled again after the next start. */
const GRACE_MS = 5_000

const runUntilEnd = async (stage: Stage): Promise<void> => {
  await announce(stage)
  await Promise.race([endWanted, stage.failed])
  await Promise.race([stage.stop(), setTimeout(GRACE_MS)])
}

const start = async (serverless: Serverless, { httpPort, host }: LocalOptions): Promise<Stage> =>
  startStage(serverless, localSettings({ ...process.env, ...(httpPort !== undefined && { PORT: httpPort }) }, host))

/** Ends the process. */
export const run = async (serverless: Serverless, options: LocalOptions): Promise<never> => {
  // The CLI sets it to infinity, which makes every error slow.
  Error.stackTraceLimit = 10
  await runUntilEnd(await orEnd(start(serverless, options))).catch(endFailed)
  return process.exit(0)
}
