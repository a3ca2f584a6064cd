/** What callers are counted by: the usage plan of infra/stage.yml and its API keys. */
import * as v from 'valibot'
import { rateKeys } from '../../lib/auth/rate-key.ts'
import type { Resource } from '../service.ts'

const Plan = v.object({ Throttle: v.object({ RateLimit: v.pipe(v.unknown(), v.transform(Number)) }) })

/** Whether the usage plan of infra/stage.yml has a rate. */
export const isTenantRateAsked = ({ TenantRate }: Record<string, Resource>): boolean =>
  v.parse(Plan, TenantRate?.Properties).Throttle.RateLimit > 0

/**
 * The keys and their places in the usage plan, by logical id. The authorizer names one of them for each caller.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-key-source.html
 */
export const rateKeyResources = (prefix: string): Record<string, Resource> => {
  const resources: Record<string, Resource> = {}
  for (const [index, Value] of rateKeys(prefix).entries()) {
    const keyId = `RateKey${index}`
    resources[keyId] = {
      Type: 'AWS::ApiGateway::ApiKey',
      Properties: { Name: Value, Value, Enabled: true },
      // One after the other: an account may make five keys a second, and CloudFormation would make all at once.
      ...(index > 0 && { DependsOn: [`RateKey${index - 1}`] }),
    }
    resources[`${keyId}InPlan`] = {
      Type: 'AWS::ApiGateway::UsagePlanKey',
      Properties: { KeyId: { Ref: keyId }, KeyType: 'API_KEY', UsagePlanId: { Ref: 'TenantRate' } },
    }
  }
  return resources
}
