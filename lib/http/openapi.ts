/** The OpenAPI 3.1 document, generated from the contracts that the pipeline checks. */
import type { JsonSchema } from '@valibot/to-json-schema'
import { type Contract, errorStatusesOf, IDEMPOTENCY_KEY, mayBeEmpty, successOf } from '../interface/contract.ts'
import { OPERATIONS } from '../interface/operations.ts'
import { REASON_PHRASES } from './error-body.ts'
import { EXAMPLES } from './examples.ts'
import { componentSchemas, fieldsOf, schemaOf } from './json-schema.ts'
import { describeWebhooks, WEBHOOK_PARAMETERS } from './openapi-webhooks.ts'

type Status = keyof typeof REASON_PHRASES

/** When each status is answered: the error table of the interface. */
const MEANINGS: Record<Status, string> = {
  400: 'The body is not JSON, or the path or the query is malformed.',
  401: 'No token where one is required, or one that is not valid.',
  403: 'A valid token that may not do this.',
  404: "The record, connection, tenant or endpoint does not exist in the caller's tenant or organization.",
  409:
    'The connection is not ready, the endpoint is not active, the record changed at the same time, or the Idempotency-Key ' +
    'came with another body.',
  413: 'The body, or what would be stored of it, is too large.',
  415: 'The content type is not JSON.',
  422: 'The body breaks its schema; `details` names every failing field.',
  429: 'More requests a second than the operation takes, or than the tenant may send.',
  500: 'A failure of the service. The log has the request id.',
  503: 'A dependency failed, after retries. Try again.',
}

const isStatus = (status: number): status is Status => status in REASON_PHRASES
const nameOf = (status: Status): string => REASON_PHRASES[status].replaceAll(' ', '')

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }

/** 401 and 403 have the status and the reason phrase only. */
const errorSchema = (status: Status) => {
  const fixed = { statusCode: { const: status }, error: { const: REASON_PHRASES[status] } }
  return status === 401 || status === 403
    ? { type: 'object', properties: fixed, required: ['statusCode', 'error'], additionalProperties: false }
    : { allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: fixed }] }
}

const errorResponses = () =>
  Object.fromEntries(
    Object.keys(REASON_PHRASES)
      .map(Number)
      .filter(isStatus)
      .map((status) => [
        nameOf(status),
        {
          description: MEANINGS[status],
          headers: REQUEST_ID,
          content: {
            'application/json': {
              schema: errorSchema(status),
              example: { statusCode: status, error: REASON_PHRASES[status] },
            },
          },
        },
      ]),
  )

/** OpenAPI has no parameter that takes the rest of a path, with slashes that are not encoded. */
const TAKES_SLASHES = 'x-takes-slashes'

const parametersOf = (contract: Contract, path: string) => [
  ...fieldsOf(contract.parameters?.path)
    .filter(({ name }) => path.includes(`{${name}}`))
    .map(({ name, schema }) => ({
      ...{ name, in: 'path', required: true, schema },
      ...(contract.path.includes(`{${name}+}`) && { [TAKES_SLASHES]: true }),
    })),
  ...fieldsOf(contract.parameters?.query).map(({ name, required, schema }) => ({
    name,
    in: 'query',
    required,
    schema,
  })),
  ...(contract.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
]

const content = (schema: JsonSchema, example: unknown, mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema, ...(example !== undefined && { example }) }]))

const ETAG = { etag: { $ref: '#/components/headers/ETag' } }

/** A caller who names the document's ETag in `If-None-Match` has it already. */
const NOT_MODIFIED = {
  304: { description: 'The caller has the document already.', headers: { ...REQUEST_ID, ...ETAG } },
}

const SECURITY = { token: [{ bearer: [] }], optional: [{ bearer: [] }, {}], none: [] }

const describeOperation = (contract: Contract, path: string) => {
  const { operationId, summary, description, security, companion, body, mediaTypes = [], contentType } = contract
  const types = ['application/json', ...mediaTypes]
  const { status, schema } = successOf(contract)
  const example = EXAMPLES[operationId]
  const paged = fieldsOf(contract.parameters?.query).some(({ name }) => name === 'cursor')
  const parameters = parametersOf(contract, path)
  return {
    operationId: path === contract.tenantPath ? `tenant_${operationId}` : operationId,
    summary,
    ...(description !== undefined && { description }),
    ...(companion && { 'x-companion': true }),
    security: SECURITY[security],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !mayBeEmpty(contract),
        content: content(schemaOf(body), example?.request, types),
      },
    }),
    responses: {
      [status]: {
        description: summary,
        headers: {
          ...REQUEST_ID,
          ...(paged && { link: { $ref: '#/components/headers/Link' } }),
          ...(contentType !== undefined && ETAG),
        },
        ...(status !== 204 && {
          content: content(schemaOf(schema), example?.response, contentType === undefined ? types : [contentType]),
        }),
      },
      ...(contentType !== undefined && NOT_MODIFIED),
      ...Object.fromEntries(
        errorStatusesOf(contract)
          .filter(isStatus)
          .map((code) => [code, { $ref: `#/components/responses/${nameOf(code)}` }]),
      ),
    },
  }
}

const describePaths = () => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const contract of OPERATIONS)
    for (const template of [contract.path, ...(contract.tenantPath ? [contract.tenantPath] : [])]) {
      const path = template.replace('+}', '}')
      paths[path] = { ...paths[path], [contract.method.toLowerCase()]: describeOperation(contract, path) }
    }
  return paths
}

const HEADERS = {
  RequestId: {
    description: 'Id of the request, as the log has it; no caller can choose it.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Names this state of the document, for `If-None-Match` (RFC 9110, section 8.8.3).',
    schema: { type: 'string' },
  },
  Link: {
    description: 'Address of the next page, when there is more: `<...>; rel="next"` (RFC 8288).',
    schema: { type: 'string' },
  },
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'With a token: the same request with the same key is done once, and answered as it was the first time, for 24 hours and for as long as ' +
    'its caller may do it. With another request the key is a 409.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: '`Authorization: Bearer <JWT>` of a configured issuer; the bare JWT is accepted too.',
}

/** The document. `url` is the base URL of the stage. */
export const describeInterface = ({ version, url }: { version: string; url: string }) => ({
  openapi: '3.1.0',
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  info: {
    title: 'Agent Service Interface',
    description:
      'Credentials, basic messages, proofs and webhook registration. `x-companion` marks what is beyond the seven operations.',
    version,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url }],
  paths: describePaths(),
  webhooks: describeWebhooks(),
  components: {
    schemas: componentSchemas(),
    responses: errorResponses(),
    headers: HEADERS,
    parameters: { IdempotencyKey: KEY_PARAMETER, ...WEBHOOK_PARAMETERS },
    securitySchemes: { bearer: BEARER },
  },
})
