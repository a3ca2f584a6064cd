/**
 * Serverless plugin: all functions write to one log group, since one of each would be a resource more for each
 * operation.
 */
import type { Resource, Serverless } from '../service.ts'

/** Of infra/log-group.yml. */
const LOG_GROUP = 'LogGroup'

/**
 * JSON, so that filters find what Lambda itself reports (infra/metric-filters.yml). How much is logged is for LOG_LEVEL
 * alone to say. https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
 */
const FORMAT = { LogFormat: 'JSON', ApplicationLogLevel: 'TRACE', SystemLogLevel: 'INFO' }

export default class LogGroup {
  readonly hooks: Record<string, () => void>

  constructor({ service }: Serverless) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        shareLogGroup(service.provider.compiledCloudFormationTemplate.Resources),
    }
  }
}

/**
 * Takes out the log groups that Serverless makes, one for each function.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-loggroups.html
 */
export const shareLogGroup = (resources: Record<string, Resource>): void => {
  const own = Object.keys(resources).filter((id) => /.LogGroup$/.test(id))
  for (const id of own) delete resources[id]
  for (const resource of Object.values(resources)) {
    if (resource.Type !== 'AWS::Lambda::Function') continue
    resource.DependsOn = [resource.DependsOn ?? []].flat().filter((id) => !own.includes(id))
    resource.Properties.LoggingConfig = { LogGroup: { Ref: LOG_GROUP }, ...FORMAT }
  }
}
