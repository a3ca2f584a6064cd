/**
 * `npm run redrive -- --stage prod`: dispatches parked changes again. With `--since <ISO 8601>`: puts messages to
 * wallets that were given up since then back into their lanes. With `--lost`: wakes lanes without a wake-up. Works on
 * AWS with the caller's credentials; the environment (`TABLE_NAME`, `WAKE_UP_QUEUE_URL`) takes precedence over the
 * outputs of the stage's stack.
 */

import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { redriveParked } from '../lib/delivery/dispatch.ts'
import { wakeLostLanes } from '../lib/delivery/lost-lanes.ts'
import { redriveMessages } from '../lib/outbox/redrive.ts'
import { isDateTime } from '../lib/rfc3339.ts'
import { tableBytes } from '../lib/store/scan.ts'
import { confirm, scanPrice } from './confirm.ts'
import { nameStage, StageName } from './deployment/name-stage.ts'
import { reason } from './failure.ts'

const OPTIONS = { stage: { type: 'string' }, since: { type: 'string' }, lost: { type: 'boolean' } } as const

const NO_TIME = '--since is a time such as 2026-11-20T12:00:00Z'

const Arguments = v.pipe(
  v.object({
    stage: StageName,
    since: v.optional(
      v.pipe(
        v.string(),
        // Times are compared as text, which is their order up to the year 9999.
        v.check((since) => isDateTime(since) && Date.parse(since) < Date.UTC(10_000, 0), NO_TIME),
        v.transform((since) => new Date(since).toISOString()),
      ),
    ),
    lost: v.optional(v.boolean()),
  }),
  v.check(({ since, lost }) => since === undefined || lost === undefined, 'either --since or --lost'),
)
export type RedriveArguments = v.InferOutput<typeof Arguments>

/** Reads the command line. */
export const redriveArguments = (args: string[]): RedriveArguments =>
  v.parse(Arguments, parseArgs({ args, options: OPTIONS }).values)

const question = (bytes: number): string =>
  `This reads the whole table, ${scanPrice(bytes)}, and costs up to $1.38 for a million lanes that have something to send. Go on? [y/N] `

/** `confirm`: asks the user, and returns the answer. Returns a line with the result. Throws `store.unavailable`. */
export const redrive = async (
  { since, lost = false }: Omit<RedriveArguments, 'stage'>,
  confirm: (question: string) => Promise<boolean>,
): Promise<string> => {
  if (lost) {
    if (!(await confirm(question(await tableBytes())))) return 'nothing was done'
    return `${await wakeLostLanes()} lanes had no wake-up; the sweep wakes them within minutes`
  }
  if (since !== undefined) return `${await redriveMessages(since)} messages were queued again`
  const { done, left } = await redriveParked()
  return `${done} changes were dispatched, ${left} failed again and stay parked`
}

if (import.meta.main) {
  try {
    const args = redriveArguments(process.argv.slice(2))
    await nameStage(args.stage, { TABLE_NAME: 'TableName', WAKE_UP_QUEUE_URL: 'WakeUpQueueUrl' })
    console.log(await redrive(args, confirm))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
