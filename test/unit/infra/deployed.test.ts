/** What is found of the table of a deployed stage. */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { expect, test, vi } from 'vitest'
import { tableFaults } from '../../../infra/deployment/deployed.ts'

const faultsOf = (expiry: string, isProtected: boolean, wanted = true): Promise<string[]> => {
  const client = new DynamoDBClient({ region: 'eu-central-1' })
  vi.spyOn(client, 'send').mockImplementation((command) =>
    Promise.resolve(
      command instanceof DescribeTableCommand
        ? { Table: { DeletionProtectionEnabled: isProtected } }
        : { TimeToLiveDescription: { TimeToLiveStatus: expiry } },
    ),
  )
  return tableFaults(client, 'agent', wanted)
}

test.each(['ENABLED', 'ENABLING'])('expiry may be %s, which takes up to an hour', async (expiry) => {
  expect(await faultsOf(expiry, true)).toEqual([])
})

test.each(['DISABLED', 'DISABLING'])('expiry that is %s is a fault', async (expiry) => {
  expect(await faultsOf(expiry, true)).toEqual([expect.stringContaining('agent keeps expired items for ever')])
})

test('a table that is not protected against deletion is a fault, unless it is not to be', async () => {
  expect(await faultsOf('ENABLED', false)).toEqual(['agent is not protected against deletion: deploy again'])
  expect(await faultsOf('ENABLED', false, false)).toEqual([])
})
