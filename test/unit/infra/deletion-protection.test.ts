/** The table's deletion protection, after a deployment. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { protectTable } from '../../../infra/deployment/deletion-protection.ts'
import { answerCommands } from '../../support/aws/answers.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test.each<[boolean | undefined, boolean, boolean]>([
  [undefined, true, true],
  [undefined, false, false],
  [false, true, true],
  [true, true, false],
  [true, false, true],
])('that is %s and is to be %s: changed is %s', async (DeletionProtectionEnabled, wanted, changed) => {
  const sent = answerCommands({
    DescribeTableCommand: { Table: { DeletionProtectionEnabled } },
    UpdateTableCommand: {},
  })
  expect(await protectTable(new DynamoDBClient({ region: 'eu-central-1' }), 'agent', wanted)).toBe(changed)
  expect(sent).toHaveBeenCalledTimes(changed ? 2 : 1)
})
