/** What CloudFormation knows of a stack. */
import { CloudFormationClient, type ResourceStatus, type StackResourceSummary } from '@aws-sdk/client-cloudformation'
import { expect, test, vi } from 'vitest'
import { deployedTemplate, physicalIds } from '../../../infra/deployment/stack.ts'

const resource = (LogicalResourceId: string, ResourceStatus: ResourceStatus): StackResourceSummary => ({
  ...{ LogicalResourceId, PhysicalResourceId: `id of ${LogicalResourceId}`, ResourceType: 'AWS::SQS::Queue' },
  ...{ ResourceStatus, LastUpdatedTimestamp: new Date() },
})

test('the resources of a stack are known without the deleted ones', async () => {
  const StackResourceSummaries = [
    resource('Updated', 'UPDATE_COMPLETE'),
    resource('Deleted', 'DELETE_COMPLETE'),
    resource('NotDeleted', 'DELETE_FAILED'),
  ]
  const client = new CloudFormationClient({ region: 'eu-central-1' })
  vi.spyOn(client, 'send').mockImplementation(async () => ({ StackResourceSummaries }))
  expect(await physicalIds(client, 'agent')).toEqual({ Updated: 'id of Updated', NotDeleted: 'id of NotDeleted' })
})

test.each([
  [
    '{"Resources":{"Queue":{"Type":"AWS::SQS::Queue"}}}',
    { Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: {} } } },
  ],
  ['Resources: {}', undefined],
  ['[]', undefined],
  [undefined, undefined],
])('the template %j is read as %j', async (TemplateBody, template) => {
  const client = new CloudFormationClient({ region: 'eu-central-1' })
  vi.spyOn(client, 'send').mockImplementation(async () => ({ TemplateBody }))
  expect(await deployedTemplate(client, 'agent')).toEqual(template)
})
