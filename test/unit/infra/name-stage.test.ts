/** Where commands for an operator find the table and the queues of a stage. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { nameStage } from '../../../infra/deployment/name-stage.ts'
import { publishStage } from '../../../infra/local/running-stage.ts'
import { answerCommands } from '../../support/aws/answers.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'

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

test('a stack that cannot be read is an error, which says what would let it', async () => {
  vi.stubEnv('TABLE_NAME', undefined)
  answerCommands({ DescribeStacksCommand: new Error('Region is missing') })
  await expect(nameStage('prod', { TABLE_NAME: 'TableName' })).rejects.toThrow(
    'the stack serverless-agent-prod cannot be read: Region is missing (AWS_REGION sets its region, AWS_PROFILE or AWS_ACCESS_KEY_ID the credentials)',
  )
})

test('the local stage is found in its folder, with the region of its table', async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_EC2_METADATA_DISABLED', 'DYNAMODB_ENDPOINT'])
    vi.stubEnv(name, undefined)
  await using folder = await temporaryFolder()
  const database = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(database, 'listening')
  vi.stubEnv('DATA_DIR', folder.path)
  vi.stubEnv('AWS_REGION', 'eu-west-3')
  const DYNAMODB_ENDPOINT = `http://127.0.0.1:${(database.address() as AddressInfo).port}`
  await using _ = await publishStage(folder.path, { TABLE_NAME: 'local', DYNAMODB_ENDPOINT })
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('TABLE_NAME', undefined)
  await nameStage('local', { TABLE_NAME: 'TableName' })
  expect(process.env).toMatchObject({ AWS_REGION: 'eu-west-3', TABLE_NAME: 'local', DYNAMODB_ENDPOINT })
  database.close()
})
