/** The responses of an operation in the OpenAPI document: success, redirection and errors, with all content types. */
import type { JsonSchema } from '@valibot/to-json-schema'
import { type Contract, errorStatusesOf, successOf } from '../interface/contract.ts'
import { REASON_PHRASES } from './error-body.ts'
import { fieldsOf, schemaOf } from './json-schema.ts'
import { linksOf } from './openapi-links.ts'

type Status = keyof typeof REASON_PHRASES

/** Meaning of each error status. */
const MEANINGS: Record<Status, string> = {
  400: 'The body is not JSON, or the path, the query or a cursor is malformed.',
  401: 'The token is missing or invalid.',
  403: 'The token is valid, but does not permit this operation.',
  404: "The record, connection, tenant or endpoint does not exist in the caller's tenant or organization.",
  409:
    'The state does not permit the operation: a connection is not ready, an exchange is in another state, an endpoint is not active, the object already ' +
    'exists; or a record changed at the same time, or the Idempotency-Key was used with another request. `message` says which.',
  410: 'The invitation was used or deleted.',
  413: 'The body, or the record to store, is too large.',
  415: 'The content type is not JSON in UTF-8.',
  422: 'The body does not match the schema, or refers to something unusable; see `details`.',
  429: 'The rate limit of the operation or the tenant is exceeded, or a limit that `message` names.',
  500: 'Internal error. The log has the request id.',
  503: 'A dependency has failed after retries. Try again.',
}

const isStatus = (status: number): status is Status => status in REASON_PHRASES
const nameOf = (status: Status): string => REASON_PHRASES[status].replaceAll(' ', '')

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }

const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }

/** Headers of errors in addition to the request id: response.ts, infra/gateway-responses.yml. */
const ERROR_HEADERS: Partial<Record<Status, object>> = {
  401: { 'www-authenticate': { $ref: '#/components/headers/Challenge' } },
  409: RETRY_AFTER,
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

const errorHeaders = (status: Status) => ({ ...REQUEST_ID, ...ERROR_HEADERS[status] })

/** 401 and 403 have the status and the reason phrase only. */
const errorSchema = (status: Status) =>
  status === 401 || status === 403
    ? {
        type: 'object',
        properties: {
          statusCode: { type: 'number', const: status },
          error: { type: 'string', const: REASON_PHRASES[status] },
        },
        required: ['statusCode', 'error'],
        additionalProperties: false,
      }
    : { $ref: '#/components/schemas/Error' }

const errorContent = (status: Status) => ({
  'application/json': {
    schema: errorSchema(status),
    example: { statusCode: status, error: REASON_PHRASES[status] },
  },
})

/** Error responses in the service's own form, of operations without pages, by component name. */
export const errorResponses = (contracts: readonly Contract[]) => {
  const statuses = contracts
    .filter(({ pages, errors }) => pages === undefined && errors === undefined)
    .flatMap(errorStatusesOf)
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .filter(isStatus)
      .map((status) => [
        nameOf(status),
        {
          description: MEANINGS[status],
          headers: errorHeaders(status),
          content: errorContent(status),
        },
      ]),
  )
}

export const content = (schema: JsonSchema, example: unknown, mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema, ...(example !== undefined && { example }) }]))

const ETAG = { etag: { $ref: '#/components/headers/ETag' } }

/** For a caller that sends the document's ETag in `If-None-Match`. */
const NOT_MODIFIED = {
  304: { description: 'The caller already has the document.', headers: { ...REQUEST_ID, ...ETAG } },
}

const FOUND = {
  302: {
    description: 'The URL that contains the invitation.',
    headers: { ...REQUEST_ID, location: { required: true, schema: { type: 'string', format: 'uri' } } },
  },
}

const PAGE = { 'text/html': { schema: { type: 'string' } } }

const successContent = (contract: Contract, example: unknown) => {
  const { contentType, pages, bodyFormat, mediaTypes = [] } = contract
  // If a request may have another JSON media type, so may the response.
  const types = ['application/json', ...(bodyFormat === undefined ? mediaTypes : [])]
  const schema = schemaOf(successOf(contract).schema)
  if (contentType !== undefined) return content(schema, example, [contentType].flat())
  if (pages === 'html') return PAGE
  return { ...content(schema, example, types), ...(pages && PAGE) }
}

const OAUTH_ERROR = {
  'application/json': {
    schema: {
      type: 'object',
      properties: { error: { type: 'string' }, error_description: { type: 'string' } },
      required: ['error'],
    },
  },
}

/** Operations with pages also have pages for errors. */
const describeError = (status: Status, { pages, errors }: Contract) => {
  const described = { description: MEANINGS[status], headers: errorHeaders(status) }
  if (errors === 'oauth') return { ...described, content: OAUTH_ERROR }
  if (pages !== undefined) return { ...described, content: { ...errorContent(status), ...PAGE } }
  return { $ref: `#/components/responses/${nameOf(status)}` }
}

/** All responses of an operation, by status. */
export const describeResponses = (contract: Contract, example: unknown) => {
  const { summary, redirects } = contract
  const isCached = contract.contentType !== undefined && !contract.writes
  const { status } = successOf(contract)
  const links = linksOf(contract)
  const paged = fieldsOf(contract.parameters?.query).some(({ name }) => name === 'cursor')
  return {
    [status]: {
      description: summary,
      headers: {
        ...REQUEST_ID,
        ...(paged && { link: { $ref: '#/components/headers/Link' } }),
        ...(isCached && ETAG),
      },
      ...(status !== 204 && { content: successContent(contract, example) }),
      ...(links !== undefined && { links }),
    },
    ...(redirects && FOUND),
    ...(isCached && NOT_MODIFIED),
    ...Object.fromEntries(
      errorStatusesOf(contract)
        .filter(isStatus)
        .map((code) => [code, describeError(code, contract)]),
    ),
  }
}
