/** The OpenAPI document against the interface document: every operation, path, field and rule that it names. */
import { describe, expect, test } from 'vitest'
import { operationNamed, operations, resolve } from '../support/api/document.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

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
    handshake: 'boolean',
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

  test('SendMessage: the delivery in its answer, beyond it', () => {
    const { properties } = resolve(answerSchema('SendMessage')).properties.metadata
    expect(properties['_agent/delivery'].properties).toHaveProperty('state')
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
