/** What CloudFormation knows of a stack. */
import { CloudFormationClient, type StackResourceSummary } from '@aws-sdk/client-cloudformation'
import { expect, test, vi } from 'vitest'
import { physicalIds } from '../../../infra/deployment/stack.ts'

const resource = (LogicalResourceId: string, ResourceType: string, ResourceStatus: string): StackResourceSummary => ({
  ...{ LogicalResourceId, PhysicalResourceId: `id of ${LogicalResourceId}`, ResourceType },
  ...{ ResourceStatus: ResourceStatus as 'CREATE_COMPLETE', LastUpdatedTimestamp: new Date() },
})

test('the resources of a stack are its own and those of its nested stacks, without the deleted ones', async () => {
  const stacks: Record<string, StackResourceSummary[]> = {
    agent: [
      resource('Table', 'AWS::DynamoDB::Table', 'UPDATE_COMPLETE'),
      resource('Old', 'AWS::SQS::Queue', 'DELETE_COMPLETE'),
      resource('Kept', 'AWS::SQS::Queue', 'DELETE_FAILED'),
      resource('Rates', 'AWS::CloudFormation::Stack', 'CREATE_COMPLETE'),
    ],
    'id of Rates': [resource('Plan', 'AWS::ApiGateway::UsagePlan', 'CREATE_COMPLETE')],
  }
  const client = new CloudFormationClient({ region: 'eu-central-1' })
  vi.spyOn(client, 'send').mockImplementation(async ({ input }) => ({
    StackResourceSummaries: stacks[Object(input).StackName],
  }))
  const ids = ['Table', 'Kept', 'Rates', 'Plan'].map((id) => [id, `id of ${id}`])
  expect(await physicalIds(client, 'agent')).toEqual(Object.fromEntries(ids))
})
