/** Says in the environment where a stage has its table and queues, before anything asks for the settings. */
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
 * `outputs`: outputs of the stack, by the variables that are set unless they are there. The stage `local` is the one
 * that runs on this machine. Throws `StageFailure`.
 */
export const nameStage = async (stage: string, outputs: Record<string, string>): Promise<void> => {
  // No address is made from it here.
  process.env.PUBLIC_URL ??= 'https://localhost'
  process.env.LOG_LEVEL ??= 'warn'
  const missing = Object.entries(outputs).filter(([variable]) => process.env[variable] === undefined)
  if (missing.length === 0) return
  if (stage === 'local') return nameRunningStage()
  const stackName = `${SERVICE}-${stage}`
  const stack = await describeStack(new CloudFormationClient(), stackName).catch((error: unknown) => {
    const remedy = 'AWS_REGION says where it is, AWS_PROFILE or AWS_ACCESS_KEY_ID who asks'
    throw new StageFailure(`the stack ${stackName} can not be read: ${reason(error)} (${remedy})`, error)
  })
  for (const [variable, output] of missing) {
    const value = stack?.outputs[output]
    if (value === undefined)
      throw new StageFailure(`there is no stack ${stackName} that says its ${output}: ${variable} can`)
    process.env[variable] = value
  }
}
