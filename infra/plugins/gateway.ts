/** Serverless plugin: the API's deployment waits for the gateway responses, is shown by the stage of infra/stage.yml, and counts callers by key if that is asked for. */
import * as v from 'valibot'
import { rateKeys } from '../../lib/auth/rate-key.ts'
import type { Resource, Serverless } from '../service.ts'

export default class Gateway {
  readonly hooks: Record<string, () => void>

  constructor({ service }: Serverless) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { Resources } = service.provider.compiledCloudFormationTemplate
        tieDeployment(Resources)
        if (isTenantRateAsked(Resources)) countCallers(Resources, service.custom.rateKeyPrefix)
        else delete Resources.TenantRate
      },
    }
  }
}

/**
 * A deployment is a snapshot: without the dependency the first one may be taken before the gateway responses exist, and serve API Gateway's
 * own bodies. Serverless has the deployment make the stage by name, which leaves no place to say the stage's limits.
 */
export const tieDeployment = (resources: Record<string, Resource>): void => {
  const idsOf = (type: string) =>
    Object.keys(resources).filter((id) => resources[id]?.Type === `AWS::ApiGateway::${type}`)
  const [deploymentId] = idsOf('Deployment')
  const [stageId] = idsOf('Stage')
  const deployment = deploymentId === undefined ? undefined : resources[deploymentId]
  const stage = stageId === undefined ? undefined : resources[stageId]
  if (deployment === undefined || stage === undefined) throw new Error('The API has no deployment or no stage')

  deployment.DependsOn = [...(deployment.DependsOn ?? []), ...idsOf('GatewayResponse')]
  delete deployment.Properties.StageName
  stage.Properties.DeploymentId = { Ref: deploymentId }
}

const Plan = v.object({ Throttle: v.object({ RateLimit: v.pipe(v.unknown(), v.transform(Number)) }) })

/** Whether the usage plan of infra/stage.yml has a rate. */
export const isTenantRateAsked = ({ TenantRate }: Record<string, Resource>): boolean =>
  v.parse(Plan, TenantRate?.Properties).Throttle.RateLimit > 0

/**
 * Puts the keys into the usage plan of infra/stage.yml, and has every method with an authorizer count by the one that it names.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-key-source.html
 */
export const countCallers = (resources: Record<string, Resource>, prefix: string): void => {
  for (const { Type, Properties } of Object.values(resources))
    if (Type === 'AWS::ApiGateway::Method' && Properties.AuthorizationType === 'CUSTOM')
      Properties.ApiKeyRequired = true
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
}
