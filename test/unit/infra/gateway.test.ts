/** The API's document and what belongs to it in the template. */
import { describe, expect, test } from 'vitest'
import { invocationPolicies } from '../../../infra/gateway/invocations.ts'
import { hasTenantRate, prefixOfStack, ratesTemplate } from '../../../infra/gateway/rate-keys.ts'
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
  uses: [],
  events: events.map((http) => ({ http })),
})

const FUNCTIONS = (): Record<string, FunctionDefinition> => ({
  getConnections: definition({ method: 'get', path: '/connections', authorizer: token }),
  receiveDidcomm: definition({ method: 'post', path: '/didcomm' }, { method: 'post', path: '/didcomm/{tenantId}' }),
  authorizer: definition(),
  deliver: definition(),
})

/** As infra/firewall.yml has it, as far as it depends on its setting. */
const firewallOf = (Limit: string): Record<string, Resource> => ({
  Firewall: {
    Type: 'AWS::WAFv2::WebACL',
    Properties: { Rules: [{ Statement: { RateBasedStatement: { Limit } } }] },
  },
  FirewallOfApi: { Type: 'AWS::WAFv2::WebACLAssociation', Properties: {} },
})

/** The template with an API of these functions and a rate of tenants. */
const templateOf = ({ functions = FUNCTIONS(), rate = '', addressRate = '' } = {}) => {
  const Resources: Record<string, Resource> = {
    ApiGatewayRestApi: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'agent-dev' } },
    ApiRole: { Type: 'AWS::IAM::Role', Properties: {} },
    ApiStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
    TenantRate: { Type: 'AWS::ApiGateway::UsagePlan', Properties: { Throttle: { RateLimit: rate } } },
    ...firewallOf(addressRate),
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
  addApi(service, (key) => key)
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
  test('is the same for the same document, so that a deployment of code alone leaves the stage as it is', () => {
    expect(deploymentIn(templateOf())).toBe(deploymentIn(templateOf()))
  })

  test('is another one whenever the document is another one', () => {
    const { deliver, ...others } = FUNCTIONS()
    const functions = { ...others, deliver: definition({ method: 'get', path: '/health' }) }
    expect(deploymentIn(templateOf({ functions }))).not.toBe(deploymentIn(templateOf()))
    expect(deploymentIn(templateOf({ rate: '5' }))).not.toBe(deploymentIn(templateOf()))
  })

  test('is what the stage shows, and waits for what the API may invoke', () => {
    const resources = templateOf()
    const id = deploymentIn(resources)
    expect(resources.ApiStage?.Properties.DeploymentId).toEqual({ Ref: id })
    expect(resources[id]?.DependsOn).toEqual(idsOf(resources, 'AWS::IAM::ManagedPolicy'))
    expect(resources[id]?.DependsOn).toHaveLength(1)
  })

  test.each(['ApiGatewayRestApi', 'ApiStage'])('is not packaged without %s', (id) => {
    const service = Object({
      provider: {
        compiledCloudFormationTemplate: {
          Resources: { ...templateOf({ rate: '5', addressRate: '2000' }), [id]: undefined },
        },
      },
      functions: FUNCTIONS(),
      custom: { rateKeyPrefix: 'prefix', gatewayResponses: {} },
    })
    expect(() => addApi(service, (key) => key)).toThrow(`The template has no ${id}`)
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

  test('fits into managed policies, of which a role takes ten, two sets at once during an update', () => {
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
])('there is a firewall where a rate of addresses is asked for (%j)', (addressRate, expected) => {
  expect(Object.keys(templateOf({ addressRate })).filter((id) => id.startsWith('Firewall'))).toEqual(expected)
})

describe('callers are counted', () => {
  test.each(['100', 1])('where a rate of tenants is asked for (%j)', (RateLimit) => {
    const TenantRate = { Type: 'AWS::ApiGateway::UsagePlan', Properties: { Throttle: { RateLimit } } }
    expect(hasTenantRate({ TenantRate })).toBe(true)
    expect(templateOf({ rate: String(RateLimit) })).toHaveProperty('TenantRate')
  })

  test.each(['', '0'])('nowhere else: there is no plan, no key, and no method that wants one (%j)', (rate) => {
    const resources = templateOf({ rate })
    expect(resources).not.toHaveProperty('TenantRate')
    expect(JSON.stringify(resources)).not.toContain('api_key')
  })

  test('where the authorizer has named a key, and nowhere else', () => {
    const { paths } = Object(templateOf({ rate: '5' }).ApiGatewayRestApi?.Properties.Body)
    expect(paths['/connections'].get.security).toEqual([{ 'authorizer-token': [] }, { api_key: [] }])
    expect(paths['/didcomm'].post).not.toHaveProperty('security')
  })

  const plan = { Type: 'AWS::ApiGateway::UsagePlan', Properties: {} }
  const { Resources: rates } = ratesTemplate(plan)
  const keys = Object.entries(rates).filter(([, { Type }]) => Type.endsWith('::ApiKey'))

  test('by every key that the authorizer can name', () => {
    const values = keys.map(([, { Properties }]) => Object(Properties.Value)['Fn::Sub'])
    expect(values.map((value) => value.replace(`\${RateKeyPrefix}`, 'prefix'))).toEqual(rateKeys('prefix'))
  })

  test('by values that no key of the stack itself has had, for an update makes the new ones before it removes those', () => {
    const [separator, [text, ofStack]] = prefixOfStack('prefix')['Fn::Join']
    expect(separator).toBe('')
    expect(text).toBe('prefix-nested-')
    expect(JSON.stringify(ofStack)).toContain('AWS::StackId')
  })

  test('by keys that are made one after the other', () => {
    const waits = keys.map(([, { DependsOn = [] }]) => DependsOn)
    expect(waits).toEqual([[], ...keys.slice(0, -1).map(([id]) => [id])])
  })

  test('in the plan of the stage, each key once', () => {
    expect(rates.TenantRate).toBe(plan)
    const inPlan = Object.values(rates).filter(({ Type }) => Type.endsWith('::UsagePlanKey'))
    expect(inPlan.map(({ Properties }) => Properties)).toEqual(
      keys.map(([id]) => ({ KeyId: { Ref: id }, KeyType: 'API_KEY', UsagePlanId: { Ref: 'TenantRate' } })),
    )
  })
})
