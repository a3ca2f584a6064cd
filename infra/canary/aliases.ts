/**
 * Versions and aliases of functions in the template: what invokes a function invokes its alias, which says the version.
 */
import { idOf } from '../gateway/invocations.ts'
import { getAttOf, type Resource, type Template } from '../service.ts'
import { guideOf } from '../watch/alarm.ts'

/** Of every function but those that run by the clock. */
export const ALIAS = 'live'

/** Judges a canary: CloudFormation takes at most five alarms, and this is one of several. */
export const CANARY_ALARM = 'CanaryAlarm'

/** Logical id of a function's alias. */
export const aliasIdOf = (functionId: string): string => `${functionId}Alias`

/**
 * Adds a version and an alias for each function. `codeHashes`: SHA-256 of each zip, in Base64, by the function's
 * logical id.
 *
 * A version never changes: another code or configuration is another resource. Those that left the template stay, for
 * the alias may still point to them; infra/canary/deployed.ts deletes them.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-lambda-version.html
 */
export const addAliases = ({ Resources }: Template, codeHashes: ReadonlyMap<string, string>): void => {
  for (const [functionId, CodeSha256] of codeHashes) {
    const lambda = Resources[functionId]
    if (lambda === undefined) throw new Error(`The template has no ${functionId}`)
    // Where its code lies is another place in every deployment.
    const { Code, ...configuration } = lambda.Properties
    const hash = idOf([configuration, CodeSha256])
    // Lambda publishes nothing that it has already: with the hash, what is another version here is one to Lambda as
    // well.
    lambda.Properties.Description = `Version ${hash}`
    const versionId = `${functionId}Version${hash}`
    Resources[versionId] = {
      Type: 'AWS::Lambda::Version',
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { FunctionName: { Ref: functionId }, CodeSha256 },
    }
    Resources[aliasIdOf(functionId)] = {
      Type: 'AWS::Lambda::Alias',
      Properties: {
        FunctionName: { Ref: functionId },
        FunctionVersion: { 'Fn::GetAtt': [versionId, 'Version'] },
        Name: ALIAS,
      },
    }
  }
}

/** An alarm while one of `alarms` is one. They have to be in the template. */
export const addCanaryAlarm = ({ Resources }: Template, alarms: string[], name: string): void => {
  const missing = alarms.filter((id) => Resources[id]?.Type !== 'AWS::CloudWatch::Alarm')
  if (alarms.length === 0) throw new Error('custom.canaryAlarms names no alarm')
  if (missing.length > 0) throw new Error(`custom.canaryAlarms names alarms that are not there: ${missing.join(', ')}`)
  Resources[CANARY_ALARM] = {
    Type: 'AWS::CloudWatch::CompositeAlarm',
    Properties: {
      AlarmName: name,
      AlarmDescription: `While a deployment is tried out with a part of the requests, it takes the deployment back. What to do: ${guideOf(CANARY_ALARM)}`,
      AlarmRule: { 'Fn::Sub': alarms.map((id) => `ALARM("\${${id}}")`).join(' OR ') },
    },
  }
}

/** The version of an alias, by the logical id of either. */
const versionIdOf = ({ Properties }: Resource): string | undefined => getAttOf(Properties.FunctionVersion)?.[0]

/**
 * The template with which a canary begins: aliases of functions that change keep the version that they have and give
 * the new one a share. `deployed`: what the stack has, by logical id; `versions`: what its aliases point to. Undefined:
 * nothing changes that has an alias yet.
 */
export const canaryTemplate = (
  template: Template,
  deployed: ReadonlySet<string>,
  versions: ReadonlyMap<string, string>,
  percent: number,
): Template | undefined => {
  const changed = Object.entries(template.Resources).flatMap(([id, resource]) => {
    const current = versions.get(id)
    const versionId = versionIdOf(resource)
    return resource.Type === 'AWS::Lambda::Alias' &&
      current !== undefined &&
      versionId !== undefined &&
      !deployed.has(versionId)
      ? [[id, shared(resource, current, percent)] as const]
      : []
  })
  if (changed.length === 0) return undefined
  return { ...template, Resources: { ...template.Resources, ...Object.fromEntries(changed) } }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuring-alias-routing.html */
const shared = (alias: Resource, current: string, percent: number): Resource => ({
  ...alias,
  Properties: {
    ...alias.Properties,
    FunctionVersion: current,
    RoutingConfig: {
      AdditionalVersionWeights: [{ FunctionVersion: alias.Properties.FunctionVersion, FunctionWeight: percent / 100 }],
    },
  },
})
