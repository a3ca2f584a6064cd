/** Reads a deployed stack from CloudFormation: its status, outputs, resources and template. */
import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation'
import * as v from 'valibot'
import { errorName } from './aws-error.ts'

export interface DeployedStack {
  /** For example `UPDATE_COMPLETE`. */
  status: string
  outputs: Record<string, string>
}

/** Undefined: there is no stack of this name. */
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
    // CloudFormation has no error code for a missing stack.
    if (errorName(error) === 'ValidationError' && /does not exist/.test(String(error))) return undefined
    throw error
  }
}

/**
 * Physical ids of the resources of a stack, by their logical ids. For a while CloudFormation also lists deleted ones,
 * which are left out.
 */
export const physicalIds = async (
  cloudFormation: CloudFormationClient,
  StackName: string,
): Promise<Record<string, string>> => {
  const ids: Record<string, string> = {}
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: cloudFormation },
    { StackName },
  ))
    for (const { LogicalResourceId, PhysicalResourceId, ResourceStatus } of StackResourceSummaries)
      if (LogicalResourceId !== undefined && PhysicalResourceId !== undefined && ResourceStatus !== 'DELETE_COMPLETE')
        ids[LogicalResourceId] = PhysicalResourceId
  return ids
}

const DeployedTemplate = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    Metadata: v.optional(v.record(v.string(), v.unknown())),
    Resources: v.record(
      v.string(),
      v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown()), {}) }),
    ),
  }),
)
export type DeployedTemplate = v.InferOutput<typeof DeployedTemplate>

/** Undefined: it is not JSON, so Serverless has not created it. */
export const deployedTemplate = async (
  cloudFormation: CloudFormationClient,
  StackName: string,
): Promise<DeployedTemplate | undefined> => {
  const { TemplateBody } = await cloudFormation.send(new GetTemplateCommand({ StackName }))
  const { success, output } = v.safeParse(DeployedTemplate, TemplateBody)
  return success ? output : undefined
}
