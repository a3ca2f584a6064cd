/** The API's document and what belongs to it in the template. */
import { describe, expect, test } from 'vitest'
import { invocationPolicies } from '../../../infra/gateway/invocations.ts'
import { rateKeyResources } from '../../../infra/gateway/rate-keys.ts'
import { addApi, removeHttpEvents } from '../../../infra/plugins/gateway.ts'
import type { FunctionDefinition, HttpEvent, Resource, Service } from '../../../infra/service.ts'
import { rateKeys } from '../../../lib/auth/rate-key.ts'

const token = {
  name: 'authorizer',
  identitySource: 'method.request.header.Authorization',
  resultTtlInSeconds: 60,
}

const definition = (...events: HttpEvent[]): FunctionDefinition => ({
  name: 'function',
  handler: 'functions/function.function',
  permissions: [],
  events: events.map((http) => ({ http })),
})

const FUNCTIONS = (): Record<string, FunctionDefinition> => ({
  getConnections: definition({ method: 'get', path: '/connections', authorizer: token }),
  receiveDidcomm: definition({ method: 'post', path: '/didcomm' }, { method: 'post', path: '/didcomm/{tenantId}' }),
  authorizer: definition(),
  deliver: definition(),
})

interface Rates {
  functions?: Record<string, FunctionDefinition>
  TENANT_RATE?: string | undefined
  ADDRESS_RATE?: string | undefined
}

/** The template with an API of these functions and with these settings. */
const templateOf = ({ functions = FUNCTIONS(), ...rates }: Rates = {}) => {
  const Resources: Record<string, Resource> = {
    ApiGatewayRestApi: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'agent-dev' } },
    ApiRole: { Type: 'AWS::IAM::Role', Properties: {} },
    ApiStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
    TenantRate: { Type: 'AWS::ApiGateway::UsagePlan', Properties: {} },
    Firewall: { Type: 'AWS::WAFv2::WebACL', Properties: {} },
    FirewallOfApi: { Type: 'AWS::WAFv2::WebACLAssociation', Properties: {} },
  }
  const service: Service = {
    service: 'agent',
    custom: { rateKeyPrefix: 'prefix', stageUrl: '', gatewayResponses: {} },
    provider: {
      architecture: 'arm64',
      stage: 'dev',
      region: 'eu-central-1',
      timeout: 10,
      environment: {},
      compiledCloudFormationTemplate: { Resources, Outputs: {} },
    },
    functions,
    resources: { Resources: {} },
  }
  addApi(service, (key) => key, rates)
  return Resources
}

const idsOf = (resources: Record<string, Resource>, type: string) =>
  Object.keys(resources).filter((id) => resources[id]?.Type === type)

const deploymentIn = (resources: Record<string, Resource>) => {
  const [id, ...others] = idsOf(resources, 'AWS::ApiGateway::Deployment')
  if (id === undefined || others.length > 0) throw new Error('there is not exactly one deployment')
  return id
}

test('Serverless compiles no `http` event, and has all of them again when it is through', () => {
  const functions = { ...FUNCTIONS(), wake: { ...definition(), events: [{ schedule: 'rate(1 minute)' }] } }
  const restoreHttpEvents = removeHttpEvents(functions)
  expect(Object.values(functions).flatMap(({ events }) => events)).toEqual([{ schedule: 'rate(1 minute)' }])
  restoreHttpEvents()
  expect(functions).toMatchObject(FUNCTIONS())
})

describe('the deployment of the API', () => {
  test('is the same for the same document, so that a deployment of code alone leaves the stage unchanged', () => {
    expect(deploymentIn(templateOf())).toBe(deploymentIn(templateOf()))
  })

  test('is another one whenever the document is another one', () => {
    const { deliver, ...others } = FUNCTIONS()
    const functions = { ...others, deliver: definition({ method: 'get', path: '/health' }) }
    expect(deploymentIn(templateOf({ functions }))).not.toBe(deploymentIn(templateOf()))
    expect(deploymentIn(templateOf({ TENANT_RATE: '5' }))).not.toBe(deploymentIn(templateOf()))
  })

  test.each(['ApiGatewayRestApi', 'ApiStage'])('is not packaged without %s', (id) => {
    const service = Object({
      provider: {
        compiledCloudFormationTemplate: {
          Resources: { ...templateOf(), [id]: undefined },
        },
      },
      functions: FUNCTIONS(),
      custom: { gatewayResponses: {} },
    })
    expect(() => addApi(service, (key) => key, {})).toThrow(`The template has no ${id}`)
  })
})

describe('what the API may invoke', () => {
  test('stays allowed while an update replaces it: other functions are another policy', () => {
    const policiesOf = (...names: string[]) =>
      Object.keys(
        invocationPolicies(
          names.map((name) => ({ arn: name, name })),
          'Role',
        ),
      )
    const [before] = policiesOf('a', 'b')
    expect(policiesOf('a', 'b')).toEqual([before])
    expect(policiesOf('a', 'c')).not.toContain(before)
  })

  test('fits into managed policies, of which a role takes ten, two sets during an update', () => {
    const invoked = Array.from({ length: 120 }, (_, index) => {
      const name = `serverless-agent-prod-operation${index}`.padEnd(64, 'x')
      // As long as any may be: 72 characters with quotes and comma, and the name.
      return { name, arn: `arn:aws-us-gov:lambda:${'r'.repeat(24)}:123456789012:function:${name}` }
    })
    const policies = Object.values(invocationPolicies(invoked, 'Role')).map(({ Properties }) => Properties)
    for (const { PolicyDocument } of policies) expect(JSON.stringify(PolicyDocument).length).toBeLessThanOrEqual(6144)
    expect(policies.length).toBeLessThanOrEqual(5)
    expect(policies.flatMap(({ PolicyDocument }) => Object(PolicyDocument).Statement[0].Resource)).toEqual(
      invoked.map(({ arn }) => arn),
    )
  })
})

test.each([
  ['2000', ['Firewall', 'FirewallOfApi']],
  ['', []],
  ['0', []],
  [undefined, []],
])('there is a firewall if a rate of addresses is set (%j)', (ADDRESS_RATE, expected) => {
  expect(Object.keys(templateOf({ ADDRESS_RATE })).filter((id) => id.startsWith('Firewall'))).toEqual(expected)
})

describe('callers are counted', () => {
  test.each(['', '0', undefined])('by no plan and no key where no rate of tenants is asked for (%j)', (TENANT_RATE) => {
    const resources = templateOf({ TENANT_RATE })
    expect(Object.keys(resources).filter((id) => /Rate/.test(id))).toEqual([])
    expect(JSON.stringify(resources)).not.toContain('api_key')
  })

  test('where the authorizer has named a key, and nowhere else', () => {
    const { paths } = Object(templateOf({ TENANT_RATE: '5' }).ApiGatewayRestApi?.Properties.Body)
    expect(paths['/connections'].get.security).toEqual([{ 'authorizer-token': [] }, { api_key: [] }])
    expect(paths['/didcomm'].post).not.toHaveProperty('security')
  })

  const resources = templateOf({ TENANT_RATE: '5' })
  const keys = Object.entries(rateKeyResources('prefix')).filter(([, { Type }]) => Type.endsWith('::ApiKey'))

  test('by every key that the authorizer can name', () => {
    expect(keys.map(([, { Properties }]) => Object(Properties.Value)['Fn::Join'][1].join(''))).toEqual(
      rateKeys('prefix'),
    )
    for (const [id, key] of keys) expect(resources[id]).toEqual(key)
    for (const [, { Properties }] of keys) expect(Properties.Enabled).toBe(true)
  })

  test('by keys that are made one after the other, of which an account may make five a second', () => {
    const waits = keys.map(([, { DependsOn = [] }]) => DependsOn)
    expect(waits).toEqual([[], ...keys.slice(0, -1).map(([id]) => [id])])
  })

  test('in the plan of the stage, each key once', () => {
    expect(resources).toHaveProperty('TenantRate')
    const inPlan = Object.values(resources).filter(({ Type }) => Type.endsWith('::UsagePlanKey'))
    expect(inPlan.map(({ Properties }) => Properties)).toEqual(
      keys.map(([id]) => ({ KeyId: { Ref: id }, KeyType: 'API_KEY', UsagePlanId: { Ref: 'TenantRate' } })),
    )
  })
})
