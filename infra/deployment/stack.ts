/** A deployed stack as CloudFormation describes it: its state, its outputs, and the resources that it has. */
import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation'
import { errorName } from './aws-error.ts'

export interface DeployedStack {
  /** For example `UPDATE_COMPLETE`. */
  status: string
  outputs: Record<string, string>
}

/** Undefined: there is none of this name. */
export const describeStack = async (
  cloudFormation: CloudFormationClient,
  StackName: string,
): Promise<DeployedStack | undefined> => {
  try {
    const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }))
    if (stack === undefined) return undefined
    const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])
    return { status: stack.StackStatus ?? '', outputs: Object.fromEntries(outputs) }
  } catch (error) {
    // CloudFormation has no error of its own for it.
    if (errorName(error) === 'ValidationError' && /does not exist/.test(String(error))) return undefined
    throw error
  }
}

/**
 * Ids that AWS knows the stack's resources by, by their ids in the template, and those of its nested stacks' resources; for a while
 * CloudFormation also lists what it has deleted.
 */
export const physicalIds = async (
  cloudFormation: CloudFormationClient,
  StackName: string,
): Promise<Record<string, string>> => {
  const ids: Record<string, string> = {}
  const nested: string[] = []
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: cloudFormation },
    { StackName },
  ))
    for (const { LogicalResourceId, PhysicalResourceId, ResourceStatus, ResourceType } of StackResourceSummaries) {
      if (LogicalResourceId === undefined || PhysicalResourceId === undefined || ResourceStatus === 'DELETE_COMPLETE')
        continue
      ids[LogicalResourceId] = PhysicalResourceId
      if (ResourceType === 'AWS::CloudFormation::Stack') nested.push(PhysicalResourceId)
    }
  for (const stackId of nested) Object.assign(ids, await physicalIds(cloudFormation, stackId))
  return ids
}

/** The template that the stack was deployed with, as text; processed, so that it is JSON where it was sent as JSON. */
export const deployedTemplate = async (cloudFormation: CloudFormationClient, StackName: string): Promise<string> => {
  const { TemplateBody = '' } = await cloudFormation.send(new GetTemplateCommand({ StackName }))
  return TemplateBody
}
