/** Where commands for an operator find the table and the queues of a stage. */
import { afterEach, expect, test, vi } from 'vitest'
import { nameStage } from '../../../infra/deployment/name-stage.ts'
import { answerCommands } from '../../support/aws/answers.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const stack = {
  Stacks: [{ StackStatus: 'CREATE_COMPLETE', Outputs: [{ OutputKey: 'TableName', OutputValue: 'own' }] }],
}

test('the environment says it, and otherwise the outputs of the stack', async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('TABLE_NAME', 'named')
  const asked = answerCommands({ DescribeStacksCommand: stack })
  await nameStage('prod', { TABLE_NAME: 'TableName' })
  expect(process.env.TABLE_NAME).toBe('named')
  expect(asked).not.toHaveBeenCalled()
  vi.stubEnv('TABLE_NAME', undefined)
  await nameStage('prod', { TABLE_NAME: 'TableName' })
  expect(process.env.TABLE_NAME).toBe('own')
})

test('a stack that does not say it is an error, which names what can', async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('WAKE_UP_QUEUE_URL', undefined)
  answerCommands({ DescribeStacksCommand: stack })
  await expect(nameStage('prod', { WAKE_UP_QUEUE_URL: 'WakeUpQueueUrl' })).rejects.toThrow(
    'there is no stack serverless-agent-prod that says its WakeUpQueueUrl: WAKE_UP_QUEUE_URL can',
  )
})
