/** The OpenAPI 3.1 document, generated from the contracts that the pipeline checks. */
import examples from '../../docs/examples.json' with { type: 'json' }
import { type BodyFormat, type Contract, IDEMPOTENCY_KEY, mayBeEmpty } from '../interface/contract.ts'
import { OPERATIONS } from '../interface/operations.ts'
import { componentSchemas, fieldsOf, schemaOf } from './json-schema.ts'
import { content, describeResponses, errorResponses } from './openapi-responses.ts'
import { AREAS, areaOf } from './openapi-tags.ts'
import { describeWebhooks, EVENTS, WEBHOOK_PARAMETERS } from './openapi-webhooks.ts'

/** Bodies of real requests and responses, by operationId. */
export const EXAMPLES: Readonly<Record<string, { request?: unknown; response?: unknown }>> = examples

/** Marks a path parameter that may contain unencoded slashes, for which OpenAPI has no keyword. */
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

const SECURITY = { token: [{ bearer: [] }], optional: [{ bearer: [] }, {}], none: [] }

const MEDIA_TYPES: Record<BodyFormat, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
}

const describeOperation = (contract: Contract, path: string) => {
  const { operationId, summary, description, security, firstInterface, body, bodyFormat = 'json' } = contract
  const { mediaTypes = [] } = contract
  const example = EXAMPLES[operationId]
  const parameters = parametersOf(contract, path)
  return {
    operationId: path === contract.tenantPath ? `tenant_${operationId}` : operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [areaOf(contract)],
    ...(firstInterface === undefined && { 'x-companion': true }),
    security: SECURITY[security],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !mayBeEmpty(contract),
        content: content(schemaOf(body), example?.request, [MEDIA_TYPES[bodyFormat], ...mediaTypes]),
      },
    }),
    responses: describeResponses(contract, example?.response),
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
    description: 'Id of the request, which is also in the log. Callers cannot choose it.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Version of the document, for `If-None-Match` (RFC 9110, section 8.8.3).',
    schema: { type: 'string' },
  },
  Link: {
    description: 'URL of the next page, if there is one: `<...>; rel="next"` (RFC 8288).',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds after which to repeat the request. Not every 409 and 429 has it.',
    schema: { type: 'integer', minimum: 1 },
  },
  Challenge: {
    description: 'The scheme of authorization (RFC 9110, section 11.6.1).',
    schema: { const: 'Bearer' },
  },
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'With a token: for 24 hours the same request with the same key has no second effect and gets the first response again, if the caller still has the ' +
    'permission. Errors are not stored. Keys belong to the `sub` of the token (without one: its `role`) and to the agent. 409: the key was used ' +
    'with another request.',
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
      'Invitations, connections, credentials and proofs in both roles, messages, DIDs, tenants and webhooks. To try an operation on this page, press ' +
      'Authorize and enter a token: `npm start` prints one; for a deployed service your token issuer has them. ' +
      '`x-companion` marks operations beyond the seven of the first interface. ' +
      'An unknown field of a body is a 422; an unknown query parameter is ignored. Lengths are in UTF-16 code units: an emoji has two.',
    version,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url }],
  tags: [...AREAS.map(({ name, description }) => ({ name, description })), EVENTS],
  paths: describePaths(),
  webhooks: describeWebhooks(),
  components: {
    schemas: componentSchemas(),
    responses: errorResponses(OPERATIONS),
    headers: HEADERS,
    parameters: { IdempotencyKey: KEY_PARAMETER, ...WEBHOOK_PARAMETERS },
    securitySchemes: { bearer: BEARER },
  },
})
