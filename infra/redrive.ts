/**
 * `npm run redrive -- --stage prod`: changes that were parked are dispatched again. With `--since <ISO 8601>`: messages
 * to wallets that were given up since then go back into their lanes. Works on AWS with the caller's credentials; the
 * environment (`TABLE_NAME`, `WAKE_UP_QUEUE_URL`) wins over the outputs of the stage's stack.
 */
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { redriveParked } from '../lib/delivery/dispatch.ts'
import { redriveMessages } from '../lib/outbox/redrive.ts'
import { isDateTime } from '../lib/rfc3339.ts'
import { nameStage, StageName } from './deployment/name-stage.ts'
import { reason } from './failure.ts'

const OPTIONS = { stage: { type: 'string' }, since: { type: 'string' } } as const

const NO_TIME = '--since is a time such as 2026-11-20T12:00:00Z'

const Arguments = v.object({
  stage: StageName,
  since: v.optional(
    v.pipe(
      v.string(),
      // Times are compared as text, which is their order up to the year 9999.
      v.check((since) => isDateTime(since) && Date.parse(since) < Date.UTC(10_000, 0), NO_TIME),
      v.transform((since) => new Date(since).toISOString()),
    ),
  ),
})
export type RedriveArguments = v.InferOutput<typeof Arguments>

/** Reads the command line. */
export const redriveArguments = (args: string[]): RedriveArguments =>
  v.parse(Arguments, parseArgs({ args, options: OPTIONS }).values)

/** Returns what was done, in a line. Throws `store.unavailable`. */
export const redrive = async ({ since }: Pick<RedriveArguments, 'since'>): Promise<string> => {
  if (since !== undefined) return `${await redriveMessages(since)} messages are on their way again`
  const { done, left } = await redriveParked()
  return `${done} changes were dispatched, ${left} failed again and stay parked`
}

if (import.meta.main) {
  try {
    const args = redriveArguments(process.argv.slice(2))
    await nameStage(args.stage, { TABLE_NAME: 'TableName', WAKE_UP_QUEUE_URL: 'WakeUpQueueUrl' })
    console.log(await redrive(args))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
