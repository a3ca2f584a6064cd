/** GET /openapi.json: valid OpenAPI 3.1, with everything that the interface document and the error table name. */
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { OPENAPI_SHAPE } from '../support/api-openapi-shape.ts'
import { api, world } from '../support/api-scene.ts'
import type { Json } from '../support/in-process-stage.ts'

const { document } = api.description

/** Every operation with its address in the document. */
const operations: { method: string; path: string; at: string; operation: Json }[] = Object.entries<Json>(
  document.paths,
).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    at: `#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`,
    operation,
  })),
)
const operationNamed = (operationId: string) => {
  const found = operations.find(({ operation }) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`there is no ${operationId}`)
  return found
}

/** The value that a reference leads to. */
const resolve = (value: Json): Json =>
  value?.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split('/')
        .reduce((part: Json, name: string) => part?.[decodeURIComponent(name).replaceAll('~1', '/')], document)

/** All references of the document. */
const referencesIn = (value: Json): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries<Json>(value).flatMap(([name, member]) =>
        name === '$ref' && typeof member === 'string' ? [member] : name === 'example' ? [] : referencesIn(member),
      )

describe('the document is valid OpenAPI 3.1', () => {
  test('in its structure', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    addFormats.default(ajv)
    const validate = ajv.compile(OPENAPI_SHAPE)
    validate(document)
    expect(validate.errors ?? []).toEqual([])
    expect(document.servers).toEqual([{ url: world.baseUrl }])
  })

  test('in its references', () => {
    const references = new Set(referencesIn(document))
    expect([...references].filter((reference) => resolve({ $ref: reference }) === undefined)).toEqual([])
    const unused = Object.entries<Json>(document.components).flatMap(([kind, named]) =>
      Object.keys(named)
        .map((name) => `#/components/${kind}/${name}`)
        .filter((reference) => kind !== 'securitySchemes' && !references.has(reference)),
    )
    expect(unused).toEqual([])
  })

  test('in its schemas: JSON Schema 2020-12, without a word that it does not have', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateSchema: true })
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

  test('in its operations: unique ids, the parameters of the path, no body with GET, a scheme for every token', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { method, path, operation } of operations) {
      const parameters: Json[] = (operation.parameters ?? []).map(resolve)
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(inPath.sort(), path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort())
      if (method !== 'POST') expect(operation, path).not.toHaveProperty('requestBody')
      for (const requirement of operation.security)
        for (const scheme of Object.keys(requirement))
          expect(document.components.securitySchemes).toHaveProperty(scheme)
    }
  })
})

/** Statuses that each operation may answer, by the error table. */
const READ = [200, 400, 401, 403, 404, 429, 500, 503]
const STATUSES: Record<string, number[]> = {
  GetCredentialById: READ,
  SendMessage: [...READ, 409, 413, 415, 422],
  tenant_GetBasicMessages: READ,
  CreateRequest: [...READ, 409, 413, 415, 422],
  tenant_ProofFormData: READ,
  RegisterNotificationWebhook: [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
  RegisterWebhook: [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
  CreateTenant: [201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
  GetConnections: [200, 400, 401, 403, 429, 500, 503],
  GetConnectionById: READ,
  CreateOffer: [...READ, 409, 413, 415, 422],
  GetWebhookEndpoints: [200, 400, 401, 403, 429, 500, 503],
  DeleteWebhookEndpoint: [...READ, 409],
  RotateWebhookSecret: [...READ, 409],
  TestWebhookEndpoint: [202, 400, 401, 403, 404, 409, 429, 500, 503],
  EnableWebhookEndpoint: [...READ, 409],
  GetWebhookDeliveries: READ,
  ReplayWebhookEvents: [202, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503],
  ReceiveDidcomm: [200, 400, 404, 409, 413, 415, 422, 429, 500, 503],
  tenant_ReceiveDidcomm: [200, 400, 404, 409, 413, 415, 422, 429, 500, 503],
  GetOpenApi: [200, 429, 500, 503],
  GetHealth: [200, 429, 500, 503],
}

test('every operation has every status that it may answer, each with a body and the id of the request', () => {
  const named = operations.map(({ operation }) => [
    operation.operationId,
    Object.keys(operation.responses).map(Number).sort(),
  ])
  const expected = Object.entries(STATUSES).map(([name, statuses]) => [name, statuses.toSorted()])
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(expected))
  for (const { operation } of operations)
    for (const [status, given] of Object.entries(operation.responses)) {
      const response = resolve(given)
      expect(response.headers, `${operation.operationId} ${status}`).toHaveProperty('x-request-id')
      expect(response.content, `${operation.operationId} ${status}`).toHaveProperty(['application/json', 'schema'])
    }
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
  })
})

/** The interface document's endpoints: name, method, path, parameters, status. */
const ENDPOINTS: [string, string, string, string[], number][] = [
  ['GetCredentialById', 'GET', '/credentials/{credentialRecordId}', ['credentialRecordId'], 200],
  ['SendMessage', 'POST', '/basic-messages/{connectionId}', ['connectionId'], 200],
  [
    'tenant_GetBasicMessages',
    'GET',
    '/multi-tenancy/basic-messages/{connectionId}/{tenantId}',
    ['connectionId', 'tenantId'],
    200,
  ],
  ['CreateRequest', 'POST', '/proofs/create-request-oob', [], 200],
  [
    'tenant_ProofFormData',
    'GET',
    '/multi-tenancy/form-data/{tenantId}/{proofRecordId}',
    ['tenantId', 'proofRecordId'],
    200,
  ],
  ['RegisterNotificationWebhook', 'POST', '/notification/register/webhook-endpoint', [], 201],
  ['RegisterWebhook', 'POST', '/webhooks/orgs/{orgId}/register', ['orgId'], 201],
]

/** Its tables of fields, by a path into the schema. A field that it calls required ends with `!`. */
const RECORD_FIELDS = { id: 'string', createdAt: 'string', metadata: 'object' }
const REGISTRATION = { 'message!': 'string', 'success!': 'boolean', 'data!': 'object', 'statusCode!': 'number' }
const ANSWERS: Record<string, Record<string, string>> = {
  GetCredentialById: {
    ...RECORD_FIELDS,
    connectionId: 'string',
    threadId: 'string',
    protocolVersion: 'string',
    credentials: 'array',
    credentialAttributes: 'array',
    'metadata._internal/indyCredential.credentialDefinitionId': 'string',
    'metadata._internal/indyCredential.schemaId': 'string',
    _tags: 'object',
    '_tags.state': 'string',
    '_tags.threadId': 'string',
    '_tags.connectionId': 'string',
  },
  SendMessage: {
    ...RECORD_FIELDS,
    sentTime: 'string',
    content: 'string',
    connectionId: 'string',
    _tags: 'object',
    '_tags.role': 'string',
    '_tags.connectionId': 'string',
  },
  tenant_ProofFormData: {
    ...RECORD_FIELDS,
    connectionId: 'string',
    threadId: 'string',
    protocolVersion: 'string',
  },
  CreateRequest: {
    'invitationDid!': 'string',
    'outOfBandRecord!': 'object',
    'invitation!': 'object',
    'invitation.@type!': 'string',
    'invitation.@id!': 'string',
    'invitation.~thread': 'object',
    'invitation.~thread.pthid': 'string',
    'invitation.~thread.thid': 'string',
    'invitation.messageType!': 'string',
    'invitationUrl!': 'string',
  },
  RegisterNotificationWebhook: REGISTRATION,
  RegisterWebhook: REGISTRATION,
}

const BODIES: Record<string, Record<string, string>> = {
  SendMessage: { 'content!': 'string' },
  CreateRequest: {
    'protocolVersion!': 'string',
    'proofFormats!': 'object',
    goalCode: 'string',
    parentThreadId: 'string',
    willConfirm: 'boolean',
    autoAcceptProof: 'string',
    comment: 'string',
    label: 'string',
    imageUrl: 'string',
    recipientKey: 'string',
    invitationDid: 'string',
  },
  RegisterNotificationWebhook: { 'orgId!': 'string', 'notificationWebhook!': 'string' },
  RegisterWebhook: { 'webhookUrl!': 'string' },
}

const typeOf = (schema: Json): string => schema?.type ?? (schema?.const === undefined ? 'nothing' : typeof schema.const)

/** Expects a schema to have a field of the table. */
const expectField = (schema: Json, field: string, type: string): void => {
  const names = field.replace('!', '').split('.')
  let parent: Json
  let found: Json = resolve(schema)
  for (const name of names) {
    parent = found
    found = resolve(parent?.properties?.[name])
  }
  expect({ field, type: typeOf(found) }).toEqual({ field, type })
  const required = parent.required?.includes(names.at(-1)) ?? false
  if (field.endsWith('!')) expect({ field, required }).toEqual({ field, required: true })
}

describe('the document has all that the interface document has', () => {
  test.each(ENDPOINTS)('%s: %s %s', (operationId, method, path, parameters, status) => {
    const found = operationNamed(operationId)
    expect({ method: found.method, path: found.path }).toEqual({ method, path })
    const inPath = found.operation.parameters?.map(resolve).filter((parameter: Json) => parameter.in === 'path') ?? []
    expect(inPath.map(({ name }: Json) => name)).toEqual(parameters)
    for (const { required, schema } of inPath)
      expect({ required, type: schema.type }).toEqual({ required: true, type: 'string' })
    expect(found.operation.responses).toHaveProperty(String(status))
    expect(found.operation).not.toHaveProperty('x-companion')
  })

  test('and marks everything else as a companion', () => {
    const seven = ENDPOINTS.map(([operationId]) => operationId)
    for (const { operation } of operations)
      expect({ [operation.operationId]: operation['x-companion'] === true }).toEqual({
        [operation.operationId]: !seven.includes(operation.operationId),
      })
  })

  const answerSchema = (operationId: string): Json => {
    const { responses } = operationNamed(operationId).operation
    return (responses[200] ?? responses[201]).content['application/json'].schema
  }

  test.each(Object.entries(ANSWERS))('%s: the fields of its answer', (operationId, fields) => {
    for (const [field, type] of Object.entries(fields)) expectField(answerSchema(operationId), field, type)
  })

  test('tenant_GetBasicMessages: an array of what SendMessage answers', () => {
    expect(answerSchema('tenant_GetBasicMessages')).toEqual({ type: 'array', items: answerSchema('SendMessage') })
  })

  test.each(Object.entries(BODIES))('%s: the fields of its body, and no other', (operationId, fields) => {
    const { requestBody } = operationNamed(operationId).operation
    expect(requestBody.required).toBe(true)
    const { schema } = requestBody.content['application/json']
    for (const [field, type] of Object.entries(fields)) expectField(schema, field, type)
    const names = Object.keys(fields).map((field) => field.replace('!', ''))
    expect(Object.keys(schema.properties).sort()).toEqual(names.sort())
    expect(schema.required.length).toBe(Object.keys(fields).filter((field) => field.endsWith('!')).length)
    expect(schema.additionalProperties).toBe(false)
  })

  test('and the rules of tokens: required for all of the seven but one', () => {
    for (const [operationId] of ENDPOINTS)
      expect(operationNamed(operationId).operation.security).toEqual(
        operationId === 'RegisterNotificationWebhook' ? [{ bearer: [] }, {}] : [{ bearer: [] }],
      )
  })
})

describe('the examples are real exchanges', () => {
  const folder = new URL('../../docs/examples/', import.meta.url)
  const files = readdirSync(folder)

  test('of every operation that is no other under a second path, and not of the document itself', () => {
    const expected = Object.keys(STATUSES).filter((name) => name !== 'GetOpenApi' && name !== 'tenant_ReceiveDidcomm')
    expect(files.map((file) => file.replace('.json', '')).sort()).toEqual(expected.sort())
  })

  test.each(files)('%s is in the document, and as its schemas say', (file) => {
    const example: Json = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const { at, operation } = operationNamed(file.replace('.json', ''))
    const status = [200, 201, 202].find((success) => operation.responses[success] !== undefined)
    for (const [part, pointer] of [
      ['request', `${at}/requestBody`],
      ['response', `${at}/responses/${status}`],
    ] as const) {
      if (part === 'request' && operation.requestBody === undefined) continue
      const { content: media } = part === 'request' ? operation.requestBody : operation.responses[String(status)]
      expect(media['application/json'].example).toEqual(example[part])
      expect(api.description.mismatches(`${pointer}/content/application~1json/schema`, example[part])).toEqual([])
    }
  })
})
