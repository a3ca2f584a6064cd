/** What the Serverless plugins do to a deployment: it waits for the gateway responses, and callers are counted where that is asked for. */
import { describe, expect, test } from 'vitest'
import Gateway, { countCallers, tieDeployment } from '../../../infra/plugins/gateway.ts'
import type { Resource } from '../../../infra/service.ts'
import { rateKeys } from '../../../lib/auth/rate-key.ts'

const resource = (Type: string, Properties: Record<string, unknown> = {}, DependsOn?: string[]): Resource => ({
  Type: `AWS::ApiGateway::${Type}`,
  Properties,
  ...(DependsOn !== undefined && { DependsOn }),
})

describe('the deployment of the API', () => {
  const template = (): Record<string, Resource> => ({
    GetHealth: resource('Method'),
    Deployment123: resource('Deployment', { RestApiId: { Ref: 'Api' }, StageName: 'dev' }, ['GetHealth']),
    ApiStage: resource('Stage', { StageName: 'dev' }),
    GatewayUnauthorized: resource('GatewayResponse'),
    GatewayThrottled: resource('GatewayResponse'),
  })

  test('waits for every gateway response, and for what it waited for before', () => {
    const resources = template()
    tieDeployment(resources)
    expect(resources.Deployment123?.DependsOn).toEqual(['GetHealth', 'GatewayUnauthorized', 'GatewayThrottled'])
  })

  test('leaves the stage to the resource that says its limits', () => {
    const resources = template()
    tieDeployment(resources)
    expect(resources.Deployment123?.Properties).toEqual({ RestApiId: { Ref: 'Api' } })
    expect(resources.ApiStage?.Properties).toEqual({ StageName: 'dev', DeploymentId: { Ref: 'Deployment123' } })
  })

  test.each(['Deployment123', 'ApiStage'])('is not packaged without %s', (id) => {
    const { [id]: _, ...resources } = template()
    expect(() => tieDeployment(resources)).toThrow('The API has no deployment or no stage')
  })
})

describe('callers are counted', () => {
  const template = (): Record<string, Resource> => ({
    GetConnections: resource('Method', { AuthorizationType: 'CUSTOM' }),
    GetHealth: resource('Method', { AuthorizationType: 'NONE' }),
  })
  const counted = () => {
    const resources = template()
    countCallers(resources, 'prefix')
    return resources
  }
  /** What the plugin makes of a template whose usage plan has this rate. */
  const deployed = (RateLimit: string | number) => {
    const Resources: Record<string, Resource> = {
      ...template(),
      Deployment123: resource('Deployment'),
      ApiStage: resource('Stage'),
      TenantRate: resource('UsagePlan', { Throttle: { RateLimit, BurstLimit: RateLimit } }),
    }
    const service = { custom: { rateKeyPrefix: 'prefix' }, provider: { compiledCloudFormationTemplate: { Resources } } }
    new Gateway(Object({ service })).hooks['after:aws:package:finalize:mergeCustomProviderResources']?.()
    return Resources
  }

  test('where a rate of tenants is asked for', () => {
    const resources = deployed('100')
    expect(resources).toHaveProperty('TenantRate')
    expect(resources).toMatchObject(counted())
  })

  test.each(['', 0, '0'])('nowhere else: there is no plan, no key, and no method that wants one (%j)', (rate) => {
    const resources = deployed(rate)
    expect(Object.keys(resources)).toEqual(['GetConnections', 'GetHealth', 'Deployment123', 'ApiStage'])
    expect(resources).toMatchObject(template())
    expect(resources.GetConnections?.Properties).not.toHaveProperty('ApiKeyRequired')
  })

  test('where the authorizer has named a key, and nowhere else', () => {
    const { GetConnections, GetHealth } = counted()
    expect(GetConnections?.Properties).toEqual({ AuthorizationType: 'CUSTOM', ApiKeyRequired: true })
    expect(GetHealth?.Properties).toEqual({ AuthorizationType: 'NONE' })
  })

  test('by every key that the authorizer can name', () => {
    const resources = Object.values(counted())
    const values = resources.filter(({ Type }) => Type.endsWith('::ApiKey')).map(({ Properties }) => Properties.Value)
    expect(values).toEqual(rateKeys('prefix'))
  })

  test('by keys that are made one after the other', () => {
    const keys = Object.entries(counted()).filter(([, { Type }]) => Type.endsWith('::ApiKey'))
    const waits = keys.map(([, { DependsOn = [] }]) => DependsOn)
    expect(waits).toEqual([[], ...keys.slice(0, -1).map(([id]) => [id])])
  })

  test('in the plan of the stage, each key once', () => {
    const resources = counted()
    const inPlan = Object.values(resources).filter(({ Type }) => Type.endsWith('::UsagePlanKey'))
    const keyIds = Object.keys(resources).filter((id) => resources[id]?.Type.endsWith('::ApiKey'))
    expect(inPlan.map(({ Properties }) => Properties)).toEqual(
      keyIds.map((id) => ({ KeyId: { Ref: id }, KeyType: 'API_KEY', UsagePlanId: { Ref: 'TenantRate' } })),
    )
  })
})
