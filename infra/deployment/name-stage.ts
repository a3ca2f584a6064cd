/** Sets environment variables for a stage's table and queues, before the settings are read. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import * as v from 'valibot'
import { reason, StageFailure } from '../failure.ts'
import { nameRunningStage } from '../local/running-stage.ts'
import { describeStack } from './stack.ts'

const SERVICE = 'serverless-agent'

export const StageName = v.optional(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,40}$/, '--stage is the name of a stage')),
  'dev',
)

/**
 * `outputs`: names of the stack's outputs, by variable; a variable that is already set stays. The stage `local` is the
 * one that runs on this machine. Throws `StageFailure`.
 */
export const nameStage = async (stage: string, outputs: Record<string, string>): Promise<void> => {
  process.env.PUBLIC_URL ??= 'https://localhost'
  process.env.LOG_LEVEL ??= 'warn'
  const missing = Object.entries(outputs).filter(([variable]) => process.env[variable] === undefined)
  if (missing.length === 0) return
  if (stage === 'local') return nameRunningStage()
  const stackName = `${SERVICE}-${stage}`
  const stack = await describeStack(new CloudFormationClient(), stackName).catch((error: unknown) => {
    const remedy = 'AWS_REGION sets its region, AWS_PROFILE or AWS_ACCESS_KEY_ID the credentials'
    throw new StageFailure(`the stack ${stackName} cannot be read: ${reason(error)} (${remedy})`, error)
  })
  for (const [variable, output] of missing) {
    const value = stack?.outputs[output]
    if (value === undefined)
      throw new StageFailure(`there is no stack ${stackName} that says its ${output}: ${variable} can`)
    process.env[variable] = value
  }
}
