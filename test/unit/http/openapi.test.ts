import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { REASON_PHRASES } from '../../../lib/http/error-body.ts'
import { describeInterface } from '../../../lib/http/openapi.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'

type Json = Record<string, unknown>

const examples = { SendMessage: { request: { content: 'hi' }, response: { id: 'm' } } }
const document = describeInterface({ version: '1.2.3', url: 'https://api.example.org', examples })

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const resolve = (reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (isJson(value) ? value[part] : undefined), document)

const references = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  )
}

interface Operation {
  operationId: string
  security: object[]
  parameters?: { name?: string; in?: string; required?: boolean; schema?: Json; $ref?: string }[]
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> }
  responses: Record<
    string,
    { $ref?: string; headers?: Json; content?: Record<string, { schema: Json; example?: unknown }> }
  >
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
)
const operationOf = (operationId: string): Operation => {
  const found = operations.find(({ operation }) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`no operation ${operationId}`)
  return found.operation
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'https://api.example.org/openapi.json', ...JSON.parse(JSON.stringify(document)) })
const validatorOf = (component: string): ValidateFunction =>
  ajv.compile({ $ref: `https://api.example.org/openapi.json#/components/schemas/${component}` })

describe('the document', () => {
  test('is OpenAPI 3.1 of this version and stage', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3', title: expect.any(String), license: { identifier: 'Apache-2.0' } },
      servers: [{ url: 'https://api.example.org' }],
    })
  })

  test('refers to nothing that is not there', () => {
    const all = references(document)
    expect(all.length).toBeGreaterThan(100)
    for (const reference of all) expect(resolve(reference), reference).toBeDefined()
  })

  test('is JSON: nothing is lost on the way out', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })

  test('holds schemas that a validator takes', () => {
    for (const component of Object.keys(document.components.schemas))
      expect(validatorOf(component)).toBeTypeOf('function')
  })

  test.each<[string, string, unknown[], unknown[]]>([
    [
      'ReplayWebhookEvents',
      '',
      [{ since: '2026-01-01T00:00:00.000Z', state: 'held' }, { eventId: 'a' }],
      [{}, { since: '2026-01-01T00:00:00.000Z', eventId: 'a' }, { eventId: 'a', state: 'held' }],
    ],
    [
      'RegisterWebhook',
      '/properties/webhookUrl',
      ['https://example.org/', 'HTTPS://example.org'],
      ['0', 'ftp://a.example'],
    ],
    [
      'CreateOffer',
      '/properties/credentialFormats/properties/jsonld/properties/credential/properties/@context',
      [['https://www.w3.org/2018/credentials/v1']],
      [['https://schema.org']],
    ],
  ])('says what a body may be together, as far as JSON Schema can: %s%s', (operationId, pointer, taken, refused) => {
    const { requestBody } = JSON.parse(JSON.stringify(operationOf(operationId)))
    const whole = requestBody.content['application/json'].schema
    const [, ...names] = pointer.split('/')
    const schema = names.reduce(
      (found, name) => (found.$ref === undefined ? found : Object(resolve(found.$ref)))[name],
      whole,
    )
    const validate = ajv.compile(schema)
    for (const body of taken) expect(validate(body), JSON.stringify(body)).toBe(true)
    for (const body of refused) expect(validate(body), JSON.stringify(body)).toBe(false)
  })

  test('says that a submission requirement takes from a group or from others, and not from both', () => {
    const validate = validatorOf('SubmissionRequirement')
    const nested = { from_nested: [{ rule: 'all', from: 'A' }] }
    expect(validate({ rule: 'all', from: 'A' })).toBe(true)
    expect(validate({ rule: 'all', ...nested })).toBe(true)
    expect(validate({ rule: 'all' })).toBe(false)
    expect(validate({ rule: 'all', from: 'A', ...nested })).toBe(false)
  })

  test('describes every operation, and the one with two addresses twice', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids).toEqual(expect.arrayContaining(OPERATIONS.map(({ operationId }) => operationId)))
    expect(ids).toContain('tenant_ReceiveDidcomm')
    expect(ids).toHaveLength(OPERATIONS.length + 1)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('describes every parameter of every path', () => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(described.map(({ name }) => name).toSorted()).toEqual(named.toSorted())
      for (const { required, schema } of described) {
        expect(required).toBe(true)
        expect(schema).toMatchObject({ type: 'string' })
      }
    }
  })

  test('gives every operation one success and its errors, each with the request id', () => {
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses).map(Number)
      expect(statuses.filter((status) => status < 300)).toHaveLength(1)
      expect(statuses).toEqual(expect.arrayContaining([429, 500, 503]))
      const success = operation.responses[statuses.find((status) => status < 300) ?? 0]
      expect(success?.headers).toHaveProperty('x-request-id')
    }
  })

  test('gives 401 and 403 to whatever looks at a token, and 413, 415 and 422 to whatever has a body', () => {
    for (const contract of OPERATIONS) {
      const statuses = Object.keys(operationOf(contract.operationId).responses).map(Number)
      expect(statuses.includes(401)).toBe(contract.security !== 'none')
      expect(statuses.includes(403)).toBe(contract.security !== 'none')
      for (const status of [413, 415, 422]) expect(statuses.includes(status)).toBe(contract.body !== undefined)
    }
  })

  test('says how a token is shown, and where it is needed', () => {
    expect(document.components.securitySchemes.bearer).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    })
    expect(operationOf('SendMessage').security).toEqual([{ bearer: [] }])
    expect(operationOf('RegisterNotificationWebhook').security).toEqual([{ bearer: [] }, {}])
    expect(operationOf('GetHealth').security).toEqual([])
  })

  test('marks companions', () => {
    const companions = operations.filter(({ operation }) => 'x-companion' in operation)
    expect(companions).toHaveLength(operations.length - 7)
    expect(operationOf('CreateTenant')).toHaveProperty('x-companion', true)
    expect(operationOf('SendMessage')).not.toHaveProperty('x-companion')
  })

  test('offers an Idempotency-Key, with its pattern, on every POST and DELETE that looks at a token, and on nothing else', () => {
    const key = { $ref: '#/components/parameters/IdempotencyKey' }
    expect(document.components.parameters.IdempotencyKey).toMatchObject({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    })
    const offered = operations.filter(({ operation }) => operation.parameters?.some(({ $ref }) => $ref === key.$ref))
    const expected = operations.filter(({ method, operation }) => method !== 'get' && operation.security.length > 0)
    expect(offered).toEqual(expected)
    expect(expected.map(({ method }) => method)).toContain('delete')
    expect(expected.map(({ operation }) => operation.operationId)).toContain('RegisterNotificationWebhook')
    for (const { operation } of expected)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '409']))
  })

  test('describes pages: limit, cursor, order and the Link header', () => {
    const { parameters, responses } = operationOf('tenant_GetBasicMessages')
    expect(parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
    })
    expect(parameters?.map(({ name }) => name)).toEqual(expect.arrayContaining(['cursor', 'order']))
    expect(responses['200']?.headers).toHaveProperty('link')
    expect(operationOf('GetConnections').responses['200']?.headers).toHaveProperty('link')
    expect(operationOf('GetConnectionById').responses['200']?.headers).not.toHaveProperty('link')
  })

  test('takes envelopes in their own content types', () => {
    expect(Object.keys(operationOf('ReceiveDidcomm').requestBody?.content ?? {})).toEqual([
      'application/json',
      'application/didcomm-envelope-enc',
      'application/ssi-agent-wire',
    ])
  })

  test('shows examples where there are some, and works without', () => {
    const { requestBody, responses } = operationOf('SendMessage')
    expect(requestBody?.content['application/json']?.example).toEqual({ content: 'hi' })
    expect(responses['200']?.content?.['application/json']?.example).toEqual({ id: 'm' })
    expect(operationOf('CreateTenant').responses['201']?.content?.['application/json']).not.toHaveProperty('example')
  })
})

describe('the errors of the document', () => {
  test('are those of the table', () => {
    expect(Object.keys(document.components.responses)).toHaveLength(Object.keys(REASON_PHRASES).length)
  })

  test.each([
    ['Unauthorized', 401],
    ['Forbidden', 403],
  ])('%s carries nothing but status and reason phrase', (error, statusCode) => {
    const response = resolve(`#/components/responses/${error}/content/application~1json/schema`)
    const validate = ajv.compile(isJson(response) ? response : {})
    expect(validate({ statusCode, error })).toBe(true)
    expect(validate({ statusCode, error, message: 'because' })).toBe(false)
    expect(validate({ statusCode: 400, error })).toBe(false)
  })

  test('have the body of the interface document', () => {
    const validate = validatorOf('Error')
    expect(validate({ statusCode: 422, error: 'Unprocessable Content', details: [{ path: 'a', message: 'b' }] })).toBe(
      true,
    )
    expect(validate({ statusCode: 422 })).toBe(false)
    expect(validate({ error: 'x' })).toBe(false)
  })
})

describe("the interface document's fields are all there:", () => {
  const propertiesOf = (component: string): string[] => {
    const properties = resolve(`#/components/schemas/${component}/properties`)
    return isJson(properties) ? Object.keys(properties) : []
  }

  test.each([
    [
      'CredentialExchangeRecord',
      [
        'id',
        'createdAt',
        'connectionId',
        'threadId',
        'protocolVersion',
        'credentials',
        'credentialAttributes',
        'metadata',
        '_tags',
      ],
    ],
    ['BasicMessageRecord', ['id', 'createdAt', 'sentTime', 'content', 'connectionId', 'metadata', '_tags']],
    ['ProofFormData', ['metadata', 'id', 'createdAt', 'connectionId', 'threadId', 'protocolVersion']],
    ['ProofRequestResult', ['invitationDid', 'outOfBandRecord', 'invitation', 'invitationUrl']],
    ['NotificationRegistrationResult', ['message', 'success', 'data', 'statusCode']],
    ['WebhookRegistrationResult', ['message', 'success', 'data', 'statusCode']],
    ['Error', ['statusCode', 'error']],
  ])('%s', (component, fields) => {
    expect(propertiesOf(component)).toEqual(expect.arrayContaining(fields))
  })

  test('_tags, the ledger data and the invitation', () => {
    const schemas = '#/components/schemas'
    expect(resolve(`${schemas}/CredentialExchangeRecord/properties/_tags/properties`)).toMatchObject({
      state: {},
      threadId: {},
      connectionId: {},
    })
    expect(
      resolve(
        `${schemas}/CredentialExchangeRecord/properties/metadata/properties/_internal~1indyCredential/properties`,
      ),
    ).toMatchObject({ credentialDefinitionId: { type: 'string' }, schemaId: { type: 'string' } })
    expect(resolve(`${schemas}/BasicMessageRecord/properties/_tags/properties`)).toMatchObject({
      role: {},
      connectionId: {},
    })
    expect(resolve(`${schemas}/ProofRequestResult/properties/invitation`)).toMatchObject({
      required: expect.arrayContaining(['@type', '@id', 'messageType']),
      properties: { '~thread': { properties: { pthid: { type: 'string' }, thid: { type: 'string' } } } },
    })
  })

  test('the request of CreateRequest', () => {
    const schema = operationOf('CreateRequest').requestBody?.content['application/json']?.schema
    expect(schema?.required).toEqual(['protocolVersion', 'proofFormats'])
    expect(Object.keys(isJson(schema?.properties) ? schema.properties : {}).toSorted()).toEqual(
      [
        'protocolVersion',
        'proofFormats',
        'goalCode',
        'parentThreadId',
        'willConfirm',
        'autoAcceptProof',
        'comment',
        'label',
        'imageUrl',
        'recipientKey',
        'invitationDid',
      ].toSorted(),
    )
  })
})
