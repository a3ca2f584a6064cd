/**
 * serverless.yml against the contracts: every operation has its route, its function and its authorizer, and there is no
 * other.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { estimated } from '../../../../infra/deployment/checks/template.ts'
import { type FunctionDefinition, type HttpEvent, splitHandler } from '../../../../infra/service.ts'
import { rateKeys } from '../../../../lib/auth/rate-key.ts'
import type { Contract } from '../../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../../lib/interface/operations.ts'
import { apiOf, functionIdOf, methodsOf } from '../../../support/stage/api-document.ts'
import { ofType } from '../../../support/stage/template.ts'
import { defaultTimeout, functions, grown, REGION, resources } from './packaged.ts'

interface Route {
  key: string
  definition: FunctionDefinition
  event: HttpEvent
}

const routes = (): Route[] =>
  Object.entries(functions).flatMap(([key, definition]) =>
    (definition.events ?? []).flatMap(({ http }) => (http === undefined ? [] : [{ key, definition, event: http }])),
  )

const pathsOf = ({ path, tenantPath }: Contract): string[] => [path, ...(tenantPath === undefined ? [] : [tenantPath])]

/** GET's sibling for uptime monitors. It has no contract of its own. */
const HEAD = 'HEAD /health'

const routesOf = (contract: Contract): Route[] =>
  routes().filter(
    ({ event }) => event.method.toUpperCase() === contract.method && pathsOf(contract).includes(event.path),
  )

/**
 * The name under which lib/interface exports a contract: by the habit of the files, its operationId without
 * underscores.
 */
const nameOf = ({ operationId }: Contract): string =>
  operationId.replace('_', '').replace(/^./, (letter) => letter.toUpperCase())

describe.each(OPERATIONS.map((contract) => [contract.operationId, contract] as const))('%s', (_, contract) => {
  test('has one route for each of its paths, all to one function', () => {
    const found = routesOf(contract)
    expect(found.map(({ event }) => event.path).toSorted()).toEqual(pathsOf(contract).toSorted())
    expect(new Set(found.map(({ key }) => key)).size).toBe(1)
  })

  test('is what the function of its route is made of', () => {
    for (const { key, definition } of routesOf(contract)) {
      const { module, name } = splitHandler(definition.handler)
      const source = readFileSync(`${module}.ts`, 'utf8')
      expect(name).toBe(key)
      expect(source).toMatch(
        new RegExp(
          `export const ${name} = (?:(?:command|query|defineOperation)\\(\\s*|(?:listOf|removeOf)\\(\\w+, )${nameOf(contract)}\\b`,
        ),
      )
    }
  })
})

test('a preflight allows the same headers on every path', () => {
  const { headers: common } = Object(routes().find(({ key }) => key === 'health')?.event.cors)
  expect(common).toEqual(expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key']))
  for (const [path, those] of Map.groupBy(routes(), ({ event }) => event.path)) {
    // One route of a path says it for all.
    const said = those.flatMap(({ event }) => event.cors?.headers ?? [])
    expect([...new Set(said)], path).toEqual(common)
  }
})

test('every function’s handler is there', () => {
  for (const { handler } of Object.values(functions)) {
    const { module, name } = splitHandler(handler)
    expect(readFileSync(`${module}.ts`, 'utf8')).toMatch(new RegExp(`^export const ${name} = `, 'm'))
  }
})

/** Of API Gateway: how long an integration may take, in seconds. */
const INTEGRATION_TIMEOUT = 29

test('a function ends before the gateway gives up on it', () => {
  for (const { definition } of routes()) expect(definition.timeout ?? defaultTimeout).toBeLessThan(INTEGRATION_TIMEOUT)
  // Five seconds pass until what they read of the web is there, or given up.
  for (const key of ['receiveInvitationUrl', 'receiveDidcomm']) expect(functions[key]?.timeout).toBe(20 + 5)
  // A token and what is asked with it have that time together.
  expect(functions.authorizer?.timeout).toBeLessThanOrEqual(5)
})

describe('what is deployed', () => {
  const { document } = apiOf(resources)
  const known = OPERATIONS.flatMap((contract) => pathsOf(contract).map((path) => ({ path, contract })))

  test('has a method at every path of a contract, which invokes its function, and no other but preflights', () => {
    const methods = methodsOf(document).filter(({ method }) => method !== 'OPTIONS')
    const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
    expect(methods.map(name).toSorted()).toEqual(
      [...known.map(({ path, contract }) => name({ method: contract.method, path })), HEAD].toSorted(),
    )
    for (const { method, path, operation } of methods) {
      const route = routes().find(({ event }) => event.method.toUpperCase() === method && event.path === path)
      expect(operation['x-amazon-apigateway-integration']).toEqual({
        type: 'aws_proxy',
        httpMethod: 'POST',
        uri: {
          'Fn::Sub': expect.stringMatching(new RegExp(`:function:serverless-agent-dev-${route?.key}/invocations$`)),
        },
        credentials: { 'Fn::GetAtt': ['ApiRole', 'Arn'] },
      })
    }
  })

  test('asks the authorizer where the contracts want a token, and nowhere else', () => {
    for (const { path, contract } of known) {
      const security = document.paths[path]?.[contract.method.toLowerCase()]?.security
      expect({ path, security }).toEqual({
        path,
        ...(contract.security === 'token' && { security: [{ 'authorizer-token': [] }] }),
      })
    }
    expect(document.components.securitySchemes).toEqual({
      'authorizer-token': {
        type: 'apiKey',
        name: 'Authorization',
        in: 'header',
        'x-amazon-apigateway-authtype': 'custom',
        'x-amazon-apigateway-authorizer': {
          type: 'token',
          authorizerUri: {
            'Fn::Sub': expect.stringMatching(/:function:serverless-agent-dev-authorizer\/invocations$/),
          },
          authorizerCredentials: { 'Fn::GetAtt': ['ApiRole', 'Arn'] },
          authorizerResultTtlInSeconds: 60,
        },
      },
    })
  })

  test('names every parameter of its paths', () => {
    for (const { path, operation } of methodsOf(document)) {
      const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name)
      expect((operation.parameters ?? []).map(({ name }) => name)).toEqual(names)
    }
  })

  test('answers a preflight at every path, with the methods that are there', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const there = Object.keys(methods).filter((method) => method !== 'options')
      expect({ path, preflight: methods.options?.['x-amazon-apigateway-integration'] }).toMatchObject({
        path,
        preflight: {
          type: 'mock',
          // A body of any type is no fault of ours: a 415, not a 500.
          passthroughBehavior: 'never',
          responses: {
            default: {
              statusCode: '200',
              responseParameters: {
                'method.response.header.Access-Control-Allow-Origin': "'*'",
                'method.response.header.Access-Control-Allow-Headers':
                  "'Authorization,Content-Type,Idempotency-Key,traceparent,tracestate,baggage'",
                'method.response.header.Access-Control-Allow-Methods': `'${['OPTIONS', ...there.map((method) => method.toUpperCase())].join(',')}'`,
                'method.response.header.Access-Control-Max-Age': "'600'",
              },
            },
          },
        },
      })
    }
  })

  test('replaces what an earlier document said, at the address that it had', () => {
    const [[id, api] = []] = ofType(resources, 'AWS::ApiGateway::RestApi')
    expect(id).toBe('ApiGatewayRestApi')
    expect(api?.Properties).toMatchObject({
      Mode: 'overwrite',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
    })
  })

  test('passes bodies of any type unchanged, and returns bytes if requested', () => {
    expect(document).toMatchObject({ 'x-amazon-apigateway-binary-media-types': ['*/*'] })
  })

  test('invokes functions with a role that only API Gateway may assume', () => {
    expect(resources.ApiRole?.Properties.AssumeRolePolicyDocument).toEqual({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'apigateway.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    })
  })

  test('lets the API invoke the functions of its routes and the authorizer, and no other ones', () => {
    const statements = ofType(resources, 'AWS::IAM::ManagedPolicy').map(([, { Properties }]) => Properties)
    const invoked = statements.flatMap(({ PolicyDocument, Roles }) => {
      expect(Roles).toEqual([{ Ref: 'ApiRole' }])
      return Object(PolicyDocument).Statement[0].Resource.map((arn: Record<string, unknown>) => arn['Fn::GetAtt'])
    })
    const keys = [...new Set(routes().map(({ key }) => key)), 'authorizer']
    expect(invoked.toSorted()).toEqual(keys.map((key) => [functionIdOf(key), 'Arn']).toSorted())
  })

  test('is shown by one stage, with its limits, once the API may invoke its functions', () => {
    const deployments = ofType(resources, 'AWS::ApiGateway::Deployment')
    expect(deployments).toHaveLength(1)
    const [[deploymentId, deployment] = []] = deployments
    expect(deployment?.DependsOn).toEqual(ofType(resources, 'AWS::IAM::ManagedPolicy').map(([id]) => id))
    const stages = ofType(resources, 'AWS::ApiGateway::Stage')
    expect(stages.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({
        StageName: 'dev',
        DeploymentId: { Ref: deploymentId },
        MethodSettings: [
          { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 500, ThrottlingBurstLimit: 500 },
          // Of every path that other agents send to.
          ...['/~1didcomm', '/~1didcomm~1{tenantId}'].map((ResourcePath) => ({
            ...{ HttpMethod: 'POST', ResourcePath, ThrottlingRateLimit: 250, ThrottlingBurstLimit: 250 },
          })),
        ],
      }),
    ])
  })
})

describe('what is deployed with a rate of tenants', () => {
  test('counts where the authorizer is asked, by a key that it can name, of a length that API Gateway takes', () => {
    const of = (type: string) =>
      ofType(grown.resources, `AWS::ApiGateway::${type}`).map(([, { Properties }]) => Properties)
    expect(of('RestApi')).toEqual([expect.objectContaining({ ApiKeySourceType: 'AUTHORIZER' })])
    const { document } = apiOf(grown.resources)
    expect(document).toMatchObject({
      'x-amazon-apigateway-api-key-source': 'AUTHORIZER',
      components: { securitySchemes: { api_key: { type: 'apiKey', name: 'x-api-key', in: 'header' } } },
    })
    const authorized = methodsOf(document).filter(({ operation }) => operation.security !== undefined)
    expect(authorized.length).toBeGreaterThan(5)
    for (const { operation } of authorized)
      expect(operation.security).toEqual([{ 'authorizer-token': [] }, { api_key: [] }])

    const { TENANT_RATE } = grown.functions.authorizer?.environment ?? {}
    expect(TENANT_RATE).toBe('7')
    // With a part of the stack's id, here x's.
    const { RATE_KEY_PREFIX } = Object(grown.resources.AuthorizerLambdaFunction?.Properties).Environment.Variables
    const prefix = estimated(RATE_KEY_PREFIX, REGION)
    const keys = of('ApiKey').map(({ Value }) => estimated(Value, REGION))
    expect(keys).toEqual(rateKeys(prefix))
    for (const key of keys) expect(key).toMatch(/^[a-z0-9-]{20,128}$/)
    expect(grown.resources.TenantRate?.Properties).toEqual({
      UsagePlanName: 'serverless-agent-dev-tenants',
      ApiStages: [{ ApiId: { Ref: 'ApiGatewayRestApi' }, Stage: { Ref: 'ApiStage' } }],
      Throttle: { RateLimit: '7', BurstLimit: '7' },
    })
  })
})

test('the rate of operations is that of other agents too, unless they have one of their own', () => {
  const { MethodSettings } = Object(grown.resources.ApiStage?.Properties)
  for (const { ThrottlingRateLimit, ThrottlingBurstLimit } of MethodSettings)
    expect([ThrottlingRateLimit, ThrottlingBurstLimit].map(Number)).toEqual([40, 40])
})

describe('the firewall', () => {
  const { Firewall, FirewallOfApi } = grown.resources

  test.each(['/didcomm', '/notification/register'])(
    'blocks an address that calls %s more often than its rate in five minutes, however it writes the path',
    (SearchString) => {
      const rules: unknown[] = Object(Firewall?.Properties).Rules
      expect(rules).toContainEqual(
        expect.objectContaining({
          Action: { Block: {} },
          Statement: {
            RateBasedStatement: {
              AggregateKeyType: 'IP',
              Limit: '2000',
              EvaluationWindowSec: 300,
              ScopeDownStatement: {
                ByteMatchStatement: {
                  FieldToMatch: { UriPath: {} },
                  // After the stage's name or a domain's base path.
                  PositionalConstraint: 'CONTAINS',
                  SearchString,
                  TextTransformations: [
                    { Priority: 0, Type: 'URL_DECODE' },
                    { Priority: 1, Type: 'NORMALIZE_PATH' },
                  ],
                },
              },
            },
          },
        }),
      )
      expect(rules).toHaveLength(2)
    },
  )

  test('passes all other requests to the stage', () => {
    expect(Firewall?.Properties).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } })
    expect(FirewallOfApi?.Properties).toEqual({
      WebACLArn: { 'Fn::GetAtt': ['Firewall', 'Arn'] },
      ResourceArn: {
        'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/restapis/\${ApiGatewayRestApi}/stages/\${ApiStage}`,
      },
    })
  })
})

test('a domain has the certificate, a TLS that is not broken, and a record that leads to it', () => {
  const { ApiDomain, ApiDomainMapping, ApiDomainRecord } = grown.resources
  expect(ApiDomain?.Properties).toEqual({
    DomainName: 'agent.example.org',
    RegionalCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0b1c2d3e',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'TLS_1_2',
  })
  expect(ApiDomainMapping?.Properties).toEqual({
    DomainName: { Ref: 'ApiDomain' },
    BasePath: 'v1',
    RestApiId: { Ref: 'ApiGatewayRestApi' },
    Stage: { Ref: 'ApiStage' },
  })
  expect(ApiDomainRecord?.Properties).toEqual({
    HostedZoneId: 'Z0123456789',
    Name: 'agent.example.org',
    Type: 'A',
    AliasTarget: {
      DNSName: { 'Fn::GetAtt': ['ApiDomain', 'RegionalDomainName'] },
      HostedZoneId: { 'Fn::GetAtt': ['ApiDomain', 'RegionalHostedZoneId'] },
    },
  })
})
