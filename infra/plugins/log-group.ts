/**
 * Serverless plugin: all functions write to one log group, since separate ones would be a further resource for each
 * operation.
 */
import type { Resource, Serverless } from '../service.ts'

/** Of infra/log-group.yml. */
const LOG_GROUP = 'LogGroup'

/**
 * JSON, so that filters find Lambda's own reports (infra/metric-filters.yml). Only LOG_LEVEL filters lines.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
 */
const FORMAT = { LogFormat: 'JSON', ApplicationLogLevel: 'TRACE', SystemLogLevel: 'INFO' }

export default class LogGroup {
  readonly hooks: Record<string, () => void>

  constructor(serverless: Serverless, { function: key = '' }: { function?: string }) {
    const { service, classes } = serverless
    this.hooks = {
      // The CLI looks for a log group of the function's own.
      'before:logs:logs': () => {
        const name = service.functions[key]?.name
        if (name === undefined) throw new classes.Error(`Function "${key}" doesn't exist in this Service`)
        throw new classes.Error(
          `All functions share a log group: ${readLogs(serverless.getProvider('aws').naming.getStackName(), name)}`,
        )
      },
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        shareLogGroup(service.provider.compiledCloudFormationTemplate.Resources),
    }
  }
}

/**
 * A function's part of a shared log group: its streams have its name.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-loggroups.html
 */
const readLogs = (stackName: string, functionName: string): string => {
  const query = `Stacks[0].Outputs[?OutputKey=='LogGroupName'].OutputValue`
  const group = `$(aws cloudformation describe-stacks --stack-name ${stackName} --query "${query}" --output text)`
  return `aws logs tail "${group}" --log-stream-name-prefix "$(date -u +%Y/%m/%d)/${functionName}[" --follow`
}

/**
 * Removes the log groups that Serverless creates, one for each function. roles.ts removes the functions' dependencies.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-loggroups.html
 */
export const shareLogGroup = (resources: Record<string, Resource>): void => {
  for (const id of Object.keys(resources)) if (/.LogGroup$/.test(id)) delete resources[id]
  for (const resource of Object.values(resources)) {
    if (resource.Type !== 'AWS::Lambda::Function') continue
    resource.Properties.LoggingConfig = { LogGroup: { Ref: LOG_GROUP }, ...FORMAT }
  }
}
