/**
 * `npm run redrive -- --stage prod`: changes that were parked are dispatched again. With `--since <ISO 8601>`: messages
 * to wallets that were given up since then go back into their lanes. Works on AWS with the caller's credentials; the
 * environment (`TABLE_NAME`, `WAKE_UP_QUEUE_URL`) wins over the outputs of the stage's stack.
 */
import { parseArgs } from 'node:util'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import * as v from 'valibot'
import { redriveParked } from '../lib/delivery/dispatch.ts'
import { redriveMessages } from '../lib/outbox/redrive.ts'
import { describeStack } from './deployment/stack.ts'
import { reason, StageFailure } from './failure.ts'

const OPTIONS = { stage: { type: 'string' }, since: { type: 'string' } } as const

const SERVICE = 'serverless-agent'

const Arguments = v.object({
  stage: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,40}$/, '--stage is the name of a stage')), 'dev'),
  since: v.optional(
    v.pipe(
      v.string(),
      v.isoTimestamp('--since is a time such as 2026-11-20T12:00:00Z'),
      v.transform((since) => new Date(since).toISOString()),
    ),
  ),
})
export type RedriveArguments = v.InferOutput<typeof Arguments>

/** Reads the command line. Throws `StageFailure`. */
export const redriveArguments = (args: string[]): RedriveArguments => {
  let values: object
  try {
    ;({ values } = parseArgs({ args, options: OPTIONS }))
  } catch (error) {
    throw new StageFailure(reason(error))
  }
  const result = v.safeParse(Arguments, values)
  if (!result.success) throw new StageFailure(result.issues[0].message)
  return result.output
}

/**
 * What the service's own code needs to know, in the environment: before anything has asked for the settings. Throws
 * `StageFailure`.
 */
const nameStage = async (stage: string): Promise<void> => {
  // No address is made from it here.
  process.env.PUBLIC_URL ??= 'https://localhost'
  process.env.LOG_LEVEL ??= 'warn'
  if (process.env.TABLE_NAME !== undefined && process.env.WAKE_UP_QUEUE_URL !== undefined) return
  const stackName = `${SERVICE}-${stage}`
  const stack = await describeStack(new CloudFormationClient(), stackName)
  const { TableName, WakeUpQueueUrl } = stack?.outputs ?? {}
  if (TableName === undefined || WakeUpQueueUrl === undefined)
    throw new StageFailure(
      `there is no stack ${stackName} that says its table and queue: TABLE_NAME and WAKE_UP_QUEUE_URL can`,
    )
  process.env.TABLE_NAME ??= TableName
  process.env.WAKE_UP_QUEUE_URL ??= WakeUpQueueUrl
}

/** Returns what was done, in a line. Throws `store.unavailable`. */
export const redrive = async ({ since }: Pick<RedriveArguments, 'since'>): Promise<string> => {
  if (since !== undefined) return `${await redriveMessages(since)} messages are on their way again`
  const { done, left } = await redriveParked()
  return `${done} changes were dispatched, ${left} failed again and stay parked`
}

if (import.meta.main) {
  try {
    const args = redriveArguments(process.argv.slice(2))
    await nameStage(args.stage)
    console.log(await redrive(args))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
