/** serverless.yml against the contracts: every operation has its route, its function and its authorizer, and there is no other. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { estimated } from '../../../../infra/deployment/checks/template.ts'
import { type HttpEvent, splitHandler } from '../../../../infra/service.ts'
import { rateKeys } from '../../../../lib/auth/rate-key.ts'
import type { Contract } from '../../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../../lib/interface/operations.ts'
import { ofType, type PackagedFunction, packageService } from '../../../support/stage/template.ts'
import { defaultTimeout, functions, REGION, resources } from './packaged.ts'

interface Route {
  key: string
  definition: PackagedFunction
  event: HttpEvent
}

const routes = (): Route[] =>
  Object.entries(functions).flatMap(([key, definition]) =>
    (definition.events ?? []).flatMap(({ http }) =>
      // Serverless packages paths without their first slash.
      http === undefined ? [] : [{ key, definition, event: { ...http, path: `/${http.path}` } }],
    ),
  )

const pathsOf = ({ path, tenantPath }: Contract): string[] => [path, ...(tenantPath === undefined ? [] : [tenantPath])]

const routesOf = (contract: Contract): Route[] =>
  routes().filter(
    ({ event }) => event.method.toUpperCase() === contract.method && pathsOf(contract).includes(event.path),
  )

/** The name under which lib/interface exports a contract: by the habit of the files, its operationId without underscores. */
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
      expect(source).toMatch(new RegExp(`export const ${name} = defineOperation\\(\\s*${nameOf(contract)},`))
    }
  })

  test('has the authorizer before it exactly when its contract asks for a token', () => {
    for (const { event } of routesOf(contract)) {
      if (contract.security === 'token')
        expect(event.authorizer).toMatchObject({
          name: 'authorizer',
          type: 'token',
          identitySource: 'method.request.header.Authorization',
        })
      else expect(event.authorizer).toBeUndefined()
    }
  })
})

test('no route is without a contract', () => {
  const known = OPERATIONS.flatMap((contract) => pathsOf(contract).map((path) => `${contract.method} ${path}`))
  const there = routes().map(({ event }) => `${event.method.toUpperCase()} ${event.path}`)
  expect(there.toSorted()).toEqual(known.toSorted())
})

test('every function’s handler is there', () => {
  for (const { handler } of Object.values(functions)) {
    const { module, name } = splitHandler(handler)
    expect(readFileSync(`${module}.ts`, 'utf8')).toMatch(new RegExp(`^export const ${name} = `, 'm'))
  }
})

/** Packaging takes seconds. */
const PACKAGING_MS = 60_000

/** Of API Gateway: how long an integration may take, in seconds. */
const INTEGRATION_TIMEOUT = 29

test('a function ends before the gateway gives up on it', () => {
  for (const { definition } of routes()) expect(definition.timeout ?? defaultTimeout).toBeLessThan(INTEGRATION_TIMEOUT)
  // A token and what is asked with it have that time together.
  expect(functions.authorizer?.timeout).toBeLessThanOrEqual(5)
})

describe('what is deployed', () => {
  const methods = () =>
    ofType(resources, 'AWS::ApiGateway::Method').map(([id, { Properties }]) => ({ id, ...Properties }))
  const authorizations = (security: Contract['security']) =>
    OPERATIONS.filter((one) => (one.security === 'token') === (security === 'token')).flatMap(pathsOf).length

  test('asks the authorizer where the contracts want a token', () => {
    const asked = methods().filter((method) => Reflect.get(method, 'AuthorizationType') === 'CUSTOM')
    expect(asked).toHaveLength(authorizations('token'))
    const open = methods().filter((method) => Reflect.get(method, 'AuthorizationType') === 'NONE')
    const preflights = open.filter((method) => Reflect.get(method, 'HttpMethod') === 'OPTIONS')
    expect(open.length - preflights.length).toBe(authorizations('none'))
  })

  test('answers a preflight at every path', () => {
    const preflights = methods().filter((method) => Reflect.get(method, 'HttpMethod') === 'OPTIONS')
    expect(preflights).toHaveLength(new Set(OPERATIONS.flatMap(pathsOf)).size)
    for (const preflight of preflights)
      expect(preflight).toMatchObject({
        Integration: {
          IntegrationResponses: [
            {
              StatusCode: '200',
              ResponseParameters: {
                'method.response.header.Access-Control-Allow-Origin': "'*'",
                'method.response.header.Access-Control-Allow-Headers': "'Authorization,Content-Type,Idempotency-Key'",
                'method.response.header.Access-Control-Max-Age': "'600'",
              },
            },
          ],
        },
      })
  })

  test('is a snapshot of the API that is taken when all methods and gateway responses are there', () => {
    const [[, deployment] = []] = ofType(resources, 'AWS::ApiGateway::Deployment')
    const parts = ['Method', 'GatewayResponse'].flatMap((type) => ofType(resources, `AWS::ApiGateway::${type}`))
    expect(deployment?.DependsOn?.toSorted()).toEqual(parts.map(([id]) => id).toSorted())
  })

  test('is shown by one stage, with its limits', () => {
    const [[deploymentId] = []] = ofType(resources, 'AWS::ApiGateway::Deployment')
    const stages = ofType(resources, 'AWS::ApiGateway::Stage')
    expect(stages.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({
        StageName: 'dev',
        DeploymentId: { Ref: deploymentId },
        MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 500, ThrottlingBurstLimit: 500 }],
      }),
    ])
  })

  test('counts no caller by key: nobody has asked for a rate of tenants', () => {
    for (const type of ['ApiKey', 'UsagePlan', 'UsagePlanKey'])
      expect(ofType(resources, `AWS::ApiGateway::${type}`)).toEqual([])
    for (const method of methods()) expect(Reflect.get(method, 'ApiKeyRequired')).not.toBe(true)
  })
})

describe('what is deployed with a rate of tenants', () => {
  test(
    'counts where the authorizer is asked, by a key that it can name, of a length that API Gateway takes',
    async () => {
      const asked = await packageService({ TENANT_RATE: '7' })
      const of = (type: string) =>
        ofType(asked.resources, `AWS::ApiGateway::${type}`).map(([, { Properties }]) => Properties)
      expect(of('RestApi')).toEqual([expect.objectContaining({ ApiKeySourceType: 'AUTHORIZER' })])
      const authorized = of('Method').filter(({ AuthorizationType }) => AuthorizationType === 'CUSTOM')
      expect(authorized.length).toBeGreaterThan(5)
      expect(of('Method').filter(({ ApiKeyRequired }) => ApiKeyRequired === true)).toEqual(authorized)

      const { TENANT_RATE } = asked.functions.authorizer?.environment ?? {}
      expect(TENANT_RATE).toBe('7')
      // With a part of the stack's id, here x's.
      const { RATE_KEY_PREFIX } = Object(asked.resources.AuthorizerLambdaFunction?.Properties).Environment.Variables
      const keys = of('ApiKey').map(({ Value }) => estimated(Value, REGION))
      expect(keys).toEqual(rateKeys(estimated(RATE_KEY_PREFIX, REGION)))
      for (const key of keys) expect(key).toMatch(/^[a-z0-9-]{20,128}$/)
      expect(of('UsagePlan')).toEqual([
        {
          UsagePlanName: 'serverless-agent-dev-tenants',
          ApiStages: [{ ApiId: { Ref: 'ApiGatewayRestApi' }, Stage: { Ref: 'ApiStage' } }],
          Throttle: { RateLimit: '7', BurstLimit: '7' },
        },
      ])
    },
    PACKAGING_MS,
  )
})
