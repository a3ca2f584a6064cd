/** GET /openapi.json: valid OpenAPI 3.1, with every status of the error table and real examples. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../lib/http/openapi.ts'
import { type Contract, successOf } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { document, operationNamed, operations, resolve } from '../support/api/document.ts'
import { api, world } from '../support/api/scene.ts'
import { contractOf } from '../support/source/operation-functions.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { OPENAPI_SHAPE } from './openapi-shape.ts'

test('says which errors have a challenge, and which a time to repeat the request', () => {
  const withHeader = (name: string) =>
    new Set(
      operations.flatMap(({ operation }) =>
        Object.entries(operation.responses).flatMap(([status, given]) =>
          resolve(given).headers[name] === undefined ? [] : [status],
        ),
      ),
    )
  expect(withHeader('www-authenticate')).toEqual(new Set(['401']))
  expect(withHeader('retry-after')).toEqual(new Set(['409', '429', '503']))
})

describe('the document is valid OpenAPI 3.1', () => {
  test('in its structure', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    addFormats.default(ajv)
    const validate = ajv.compile(OPENAPI_SHAPE)
    validate(document)
    expect(validate.errors ?? []).toEqual([])
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: packageJson.version, title: expect.any(String), license: { identifier: 'Apache-2.0' } },
      servers: [{ url: world.baseUrl }],
    })
  })

  test('in its schemas: JSON Schema 2020-12, without a word that it does not have', () => {
    const ajv = new Ajv2020({
      strict: true,
      ...{ strictTypes: false, strictRequired: false, strictTuples: false },
      validateSchema: true,
    })
    addFormats.default(ajv)
    ajv.addVocabulary(Object.keys(document))
    ajv.addSchema(document, 'document')
    for (const name of Object.keys(document.components.schemas))
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` }), name).not.toThrow()
    for (const { at, operation } of operations)
      for (const type of Object.keys(operation.requestBody?.content ?? {})) {
        const pointer = `${at}/requestBody/content/${encodeURIComponent(type.replaceAll('/', '~1'))}/schema`
        expect(() => ajv.compile({ $ref: `document${pointer}` }), pointer).not.toThrow()
      }
  })

  test('in its operations: no body with GET or DELETE', () => {
    for (const { method, path, operation } of operations)
      if (!['POST', 'PUT'].includes(method)) expect(operation, path).not.toHaveProperty('requestBody')
  })
})

/** The content types of an answer: JSON, unless the operation gives a document or a page. */
const typesOf = ({ contentType, pages }: Contract, status: string): string[] => {
  if (status === '200' && contentType !== undefined) return [contentType].flat()
  if (status === '200' && pages === 'html') return ['text/html']
  return pages === undefined ? ['application/json'] : ['application/json', 'text/html']
}

/** The contract that a described operation is of. */
const contractFor = (described: string): Contract =>
  OPERATIONS.find(
    ({ operationId, tenantPath }) => operationId === described || (tenantPath && `tenant_${operationId}` === described),
  ) ?? contractOf(described)

/** What an operation may answer with follows from what it takes: one of each kind. */
const STATUSES: Record<string, number[]> = {
  GetConnections: [200, 400, 401, 403, 429, 500, 503],
  GetConnectionById: [200, 400, 401, 403, 404, 429, 500, 503],
  SendMessage: [200, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503],
  RegisterNotificationWebhook: [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
  DeleteWebhookEndpoint: [200, 400, 401, 403, 404, 409, 429, 500, 503],
  TestWebhookEndpoint: [202, 400, 401, 403, 404, 409, 429, 500, 503],
  ReceiveDidcomm: [200, 400, 404, 409, 413, 415, 422, 429, 500, 503],
  tenant_ReceiveDidcomm: [200, 400, 404, 409, 413, 415, 422, 429, 500, 503],
  GetWebvhLog: [200, 304, 400, 404, 429, 500, 503],
  GetInvitationById: [200, 302, 400, 404, 410, 429, 500, 503],
  GetHealth: [200, 429, 500, 503],
  RequestToken: [200, 400, 404, 413, 415, 429, 500, 503],
  RequestCredential: [200, 400, 401, 404, 413, 415, 429, 500, 503],
  GetCredentialOffer: [200, 400, 404, 429, 500, 503],
}

test('every operation has the statuses that it may answer, each with a body and the id of the request', () => {
  const described = operations.map(({ operation }) => operation.operationId)
  const paths = OPERATIONS.flatMap(({ operationId, tenantPath }) =>
    tenantPath === undefined ? [operationId] : [operationId, `tenant_${operationId}`],
  )
  expect(described.toSorted()).toEqual(paths.toSorted())
  for (const { operation } of operations) {
    const contract = contractFor(operation.operationId)
    const given = Object.keys(operation.responses).map(Number)
    expect(given.toSorted(), operation.operationId).toEqual(STATUSES[operation.operationId] ?? expect.any(Array))
    for (const [status, given] of Object.entries(operation.responses)) {
      const response = resolve(given)
      expect(response.headers, `${operation.operationId} ${status}`).toHaveProperty('x-request-id')
      if (['204', '302', '304'].includes(status)) expect(response).not.toHaveProperty('content')
      else
        for (const type of typesOf(contract, status))
          expect(response.content, `${operation.operationId} ${status}`).toHaveProperty([type, 'schema'])
    }
  }
})

describe('every operation says', () => {
  test('whether it needs a token, and how one is shown', () => {
    expect(document.components.securitySchemes.bearer).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    })
    const schemes = { token: [{ bearer: [] }], optional: [{ bearer: [] }, {}], none: [] }
    for (const { operation } of operations)
      expect({ [operation.operationId]: operation.security }).toEqual({
        [operation.operationId]: schemes[contractFor(operation.operationId).security],
      })
    // These are all that take no token, or not always.
    const open = operations.flatMap(({ method, path, operation }) =>
      JSON.stringify(operation.security) === JSON.stringify(schemes.token) ? [] : [`${method} ${path}`],
    )
    expect(open.toSorted()).toEqual([
      'GET /',
      'GET /.well-known/{name}/oid4vci/{issuerId}',
      'GET /anoncreds/tails/{hash}',
      'GET /assets/{file}',
      'GET /docs',
      'GET /health',
      'GET /oid4vci/{issuerId}/.well-known/{name}',
      'GET /oid4vci/{issuerId}/jwks',
      'GET /oid4vci/{issuerId}/offers/{issuanceSessionId}',
      'GET /oid4vci/{issuerId}/pages/{issuanceSessionId}',
      'GET /oid4vci/{issuerId}/status/{listId}',
      'GET /oid4vci/{issuerId}/types/{name}',
      'GET /oid4vp/{verifierId}/authorization-requests/{verificationSessionId}',
      'GET /oid4vp/{verifierId}/requests/{verificationSessionId}',
      'GET /openapi.json',
      'GET /url/{invitationId}',
      'GET /web/{tenantId}/did.json',
      'GET /webvh/{tenantId}/did.jsonl',
      'GET /webvh/{tenantId}/resources/{resourceId}',
      'POST /didcomm',
      'POST /didcomm/{tenantId}',
      'POST /notification/register/webhook-endpoint',
      'POST /oid4vci/{issuerId}/credential',
      'POST /oid4vci/{issuerId}/nonce',
      'POST /oid4vci/{issuerId}/notification',
      'POST /oid4vci/{issuerId}/token',
      'POST /oid4vp/{verifierId}/authorization-requests/{verificationSessionId}',
      'POST /oid4vp/{verifierId}/authorize',
    ])
  })

  test('that it takes an Idempotency-Key, where it is a POST or DELETE that looks at a token, except the removal of a tenant', () => {
    expect(document.components.parameters.IdempotencyKey).toMatchObject({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    })
    const key = '#/components/parameters/IdempotencyKey'
    const offered = operations.filter(({ operation }) => operation.parameters?.some(({ $ref }: Json) => $ref === key))
    expect(offered).toEqual(
      operations.filter(
        ({ method, operation: { security, operationId } }) =>
          method !== 'GET' && security.length > 0 && operationId !== 'DeleteTenant',
      ),
    )
    expect(offered.map(({ method }) => method)).toContain('DELETE')
  })

  test('how to request its pages, if it has pages', () => {
    for (const { operation } of operations) {
      const names = (operation.parameters ?? []).map(({ name }: Json) => name)
      // A list is never given in one piece, but for that of an organization's few endpoints.
      const { status } = successOf(contractFor(operation.operationId))
      const { headers, content } = resolve(operation.responses[status])
      const { type } = resolve(content?.['application/json']?.schema ?? {})
      const isPaged = type === 'array' && operation.operationId !== 'GetWebhookEndpoints'
      expect({ operation: operation.operationId, cursor: names.includes('cursor'), link: 'link' in headers }).toEqual({
        operation: operation.operationId,
        cursor: isPaged,
        link: isPaged,
      })
      if (isPaged)
        expect(operation.parameters).toContainEqual({
          name: 'limit',
          in: 'query',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
        })
    }
    const { parameters } = operationNamed('tenant_GetBasicMessages').operation
    expect(parameters.map(({ name }: Json) => name)).toContain('order')
  })

  test('in which content types it takes envelopes', () => {
    const { requestBody } = operationNamed('ReceiveDidcomm').operation
    expect(Object.keys(requestBody.content)).toEqual([
      'application/json',
      'application/didcomm-envelope-enc',
      'application/ssi-agent-wire',
    ])
  })
})

describe('the error body is that of the interface', () => {
  test('statusCode and error are required, message and details are not, and there is nothing else', () => {
    const { properties, required, additionalProperties } = document.components.schemas.Error
    expect(required.sort()).toEqual(['error', 'statusCode'])
    expect(Object.keys(properties).sort()).toEqual(['details', 'error', 'message', 'statusCode'])
    expect(properties).toMatchObject({ statusCode: { type: 'number' }, error: { type: 'string' } })
    expect(additionalProperties).toBe(false)
  })

  test.each([
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
  ])('%i carries nothing but %s', (status, error) => {
    const pointer = `#/components/responses/${error}/content/application~1json/schema`
    expect(api.description.mismatches(pointer, { statusCode: status, error })).toEqual([])
    expect(api.description.mismatches(pointer, { statusCode: status, error, message: 'why' })).not.toEqual([])
    expect(api.description.mismatches(pointer, { statusCode: status, error: 'other' })).not.toEqual([])
    expect(api.description.mismatches(pointer, { statusCode: 400, error })).not.toEqual([])
  })
})

describe('the examples are real exchanges', () => {
  const shown = OPERATIONS.filter(
    (contract) =>
      contract.operationId !== 'GetOpenApi' &&
      contract.pages !== 'html' &&
      /json/.test(String(contract.contentType ?? 'json')) &&
      (contract.body !== undefined || successOf(contract).status !== 204),
  )

  test.each(shown)('of $operationId (npm run examples)', ({ operationId }) => {
    expect(Object.keys(EXAMPLES)).toContain(operationId)
  })

  test('of no bytes, pages or responses without a body, and not of the document itself', () => {
    expect(Object.keys(EXAMPLES)).toHaveLength(shown.length)
  })

  test.each(Object.entries<Json>(EXAMPLES))('%s is in the document, and as its schemas say', (operationId, example) => {
    const { at, operation } = operationNamed(operationId)
    const { status } = successOf(contractOf(operation.operationId))
    for (const [part, pointer] of [
      ['request', `${at}/requestBody`],
      ['response', `${at}/responses/${status}`],
    ] as const) {
      const hasNone = part === 'request' ? operation.requestBody?.required !== true : status === 204
      if (hasNone && example[part] === undefined) continue
      const { content: media } = part === 'request' ? operation.requestBody : operation.responses[String(status)]
      const [type = ''] = Object.keys(media)
      expect(media[type].example).toEqual(example[part])
      const schema = `${pointer}/content/${type.replace('/', '~1')}/schema`
      expect(api.description.mismatches(schema, example[part])).toEqual([])
    }
  })
})

describe('the document says, as far as JSON Schema can', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')

  const validatorAt = (pointer: string) => ajv.compile({ $ref: `document#${pointer}` })

  const bodyOf = (operationId: string): Json => {
    const [found] = operations.filter(({ operation }) => operation.operationId === operationId)
    return found?.operation.requestBody?.content['application/json']?.schema
  }

  test.each<[string, string[], unknown[], unknown[]]>([
    [
      'ReplayWebhookEvents',
      [],
      [{ since: '2026-01-01T00:00:00.000Z', state: 'held' }, { eventId: 'a' }],
      [{}, { since: '2026-01-01T00:00:00.000Z', eventId: 'a' }, { eventId: 'a', state: 'held' }],
    ],
    [
      'RegisterWebhook',
      ['properties', 'webhookUrl'],
      ['https://example.org/', 'HTTPS://example.org'],
      ['0', 'ftp://a.example'],
    ],
    [
      'CreateOffer',
      ['properties', 'credentialFormats', 'properties', 'jsonld', 'properties', 'credential', 'properties', '@context'],
      [['https://www.w3.org/2018/credentials/v1']],
      [['https://schema.org']],
    ],
  ])('what a body may be together: %s %s', (operationId, names, taken, refused) => {
    const schema = names.reduce<Json>((found, name) => resolve(found)[name], bodyOf(operationId))
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
    const validate = ajv.compile(local)
    for (const body of taken) expect(validate(body), JSON.stringify(body)).toBe(true)
    for (const body of refused) expect(validate(body), JSON.stringify(body)).toBe(false)
  })

  test('that a submission requirement has either from or from_nested', () => {
    const validate = validatorAt('/components/schemas/SubmissionRequirement')
    const nested = { from_nested: [{ rule: 'all', from: 'A' }] }
    expect(validate({ rule: 'all', from: 'A' })).toBe(true)
    expect(validate({ rule: 'all', ...nested })).toBe(true)
    expect(validate({ rule: 'all' })).toBe(false)
    expect(validate({ rule: 'all', from: 'A', ...nested })).toBe(false)
  })
})
