/** The API keys by which callers are counted, in the usage plan of infra/stage.yml. */
import { rateKeys } from '../../lib/auth/rate-key.ts'
import type { Resource } from '../service.ts'

/** Logical id of the usage plan. */
export const PLAN = 'TenantRate'

/**
 * The keys and their places in the usage plan, by logical id. The authorizer names one of them for each caller.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-key-source.html
 */
export const rateKeyResources = (prefix: unknown): Record<string, Resource> => {
  const resources: Record<string, Resource> = {}
  for (const [index, ending] of rateKeys('').entries()) {
    const keyId = `RateKey${index}`
    const Value = { 'Fn::Join': ['', [prefix, ending]] }
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
