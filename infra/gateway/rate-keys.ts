/** The usage plan of infra/stage.yml and its API keys, by which callers are counted, in a nested stack. */
import * as v from 'valibot'
import { rateKeys } from '../../lib/auth/rate-key.ts'
import { ofType, type Resource, type Template, variablesOf } from '../service.ts'
import { idOf } from './invocations.ts'

/** Logical id of the usage plan. */
export const PLAN = 'TenantRate'
/** Logical id of the nested stack with the plan and its keys. */
export const STACK = 'TenantRates'
const PREFIX = 'RateKeyPrefix'

const Plan = v.object({ Throttle: v.object({ RateLimit: v.pipe(v.unknown(), v.transform(Number)) }) })

/** Whether the usage plan of infra/stage.yml has a rate. */
export const hasTenantRate = ({ [PLAN]: plan }: Record<string, Resource>): boolean =>
  v.parse(Plan, plan?.Properties).Throttle.RateLimit > 0

/** The template of the nested stack. */
export interface RatesTemplate extends Pick<Template, 'Resources'> {
  /** Ids in AWS of the resources that the plan refers to, under their logical ids. */
  Parameters: Record<string, { Type: 'String' }>
}

const TEXT = { Type: 'String' } as const

/**
 * The plan and its keys, 67 resources, as a stack of their own: the stack has room for 100 operations only without
 * them. https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-key-source.html
 */
export const ratesTemplate = (plan: Resource): RatesTemplate => ({
  Parameters: { ApiGatewayRestApi: TEXT, ApiStage: TEXT, [PREFIX]: TEXT },
  Resources: { [PLAN]: plan, ...rateKeyResources() },
})

/** The keys and their places in the usage plan, by logical id. The authorizer names one of them for each caller. */
const rateKeyResources = (): Record<string, Resource> => {
  const resources: Record<string, Resource> = {}
  for (const [index, value] of rateKeys(`\${${PREFIX}}`).entries()) {
    const keyId = `RateKey${index}`
    const Value = { 'Fn::Sub': value }
    resources[keyId] = {
      Type: 'AWS::ApiGateway::ApiKey',
      Properties: { Name: Value, Value, Enabled: true },
      // Created one after the other: an account may create five keys a second, and CloudFormation would create all at
      // once.
      ...(index > 0 && { DependsOn: [`RateKey${index - 1}`] }),
    }
    resources[`${keyId}InPlan`] = {
      Type: 'AWS::ApiGateway::UsagePlanKey',
      Properties: { KeyId: { Ref: keyId }, KeyType: 'API_KEY', UsagePlanId: { Ref: PLAN } },
    }
  }
  return resources
}

/**
 * Key of the nested template in the bucket of deployments. It follows from the content, so that an unchanged template
 * changes nothing in the stack.
 */
export const ratesKeyOf = (folder: string, template: RatesTemplate): string =>
  `${folder}/tenant-rates-${idOf(template)}.json`

/** The nested stack. `key` is that of its template in the bucket, `prefix` the prefix of the keys' values. */
export const ratesStack = (key: string, prefix: unknown): Resource => ({
  Type: 'AWS::CloudFormation::Stack',
  Properties: {
    TemplateURL: { 'Fn::Sub': `https://\${ServerlessDeploymentBucket}.s3.\${AWS::Region}.\${AWS::URLSuffix}/${key}` },
    Parameters: {
      ApiGatewayRestApi: { Ref: 'ApiGatewayRestApi' },
      ApiStage: { Ref: 'ApiStage' },
      [PREFIX]: prefix,
    },
  },
})

/** A part of the stack's id: eight characters that no other stack has. */
const STACK_PART = {
  'Fn::Select': [0, { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] }],
}

/**
 * Prefix of the keys' values, which are unique in an account: those of an earlier stack would conflict with the next.
 * It differs from that of keys which the stack itself had before they were nested: an update creates the new keys
 * before it deletes the old ones, and no two keys may have the same value.
 */
export const prefixOfStack = (prefix: string) => ({ 'Fn::Join': ['', [`${prefix}-nested-`, STACK_PART]] as const })

/** Gives the prefix to the authorizer, which names the keys. */
export const setRateKeyPrefix = (resources: Record<string, Resource>, prefix: string): void => {
  for (const [, lambda] of ofType(resources, 'AWS::Lambda::Function')) {
    const variables = variablesOf(lambda)
    if (variables.RATE_KEY_PREFIX === prefix) variables.RATE_KEY_PREFIX = prefixOfStack(prefix)
  }
}
