/** The answers of the operations in the OpenAPI document: success, redirection and errors, in each of their content types. */
import type { JsonSchema } from '@valibot/to-json-schema'
import { type Contract, errorStatusesOf, successOf } from '../interface/contract.ts'
import { REASON_PHRASES } from './error-body.ts'
import { fieldsOf, schemaOf } from './json-schema.ts'
import { linksOf } from './openapi-links.ts'

type Status = keyof typeof REASON_PHRASES

/** When each status is answered: the error table of the interface. */
const MEANINGS: Record<Status, string> = {
  400: 'The body is not JSON, or the path or the query is malformed.',
  401: 'No token where one is required, or one that is not valid.',
  403: 'A valid token that may not do this.',
  404: "The record, connection, tenant or endpoint does not exist in the caller's tenant or organization.",
  409:
    'What the request is about is in another state: a connection is not ready, an exchange is at another step, an endpoint is not active, what is to be made ' +
    'is there already; or it changed at the same time, or the Idempotency-Key came with another request. `message` says which.',
  410: 'The invitation was used, or its agent has deleted it.',
  413: 'The body, or what would be stored of it, is too large.',
  415: 'The content type is not JSON.',
  422: 'The request breaks its schema (`details` names every failing field), or what it names can not be used.',
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

const errorContent = (status: Status) => ({
  'application/json': {
    schema: errorSchema(status),
    example: { statusCode: status, error: REASON_PHRASES[status] },
  },
})

/** The errors that operations without pages have in common, by their names. */
export const errorResponses = (contracts: readonly Contract[]) => {
  const statuses = contracts.filter(({ pages }) => pages === undefined).flatMap(errorStatusesOf)
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .filter(isStatus)
      .map((status) => [
        nameOf(status),
        {
          description: MEANINGS[status],
          headers: REQUEST_ID,
          content: errorContent(status),
        },
      ]),
  )
}

export const content = (schema: JsonSchema, example: unknown, mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema, ...(example !== undefined && { example }) }]))

const ETAG = { etag: { $ref: '#/components/headers/ETag' } }

/** A caller who names the document's ETag in `If-None-Match` has it already. */
const NOT_MODIFIED = {
  304: { description: 'The caller has the document already.', headers: { ...REQUEST_ID, ...ETAG } },
}

/** Where to look instead. */
const FOUND = {
  302: {
    description: 'The address of the invitation, which holds it.',
    headers: { ...REQUEST_ID, location: { required: true, schema: { type: 'string', format: 'uri' } } },
  },
}

const PAGE = { 'text/html': { schema: { type: 'string' } } }

const successContent = (contract: Contract, { types, example }: { types: string[]; example: unknown }) => {
  const { contentType, pages } = contract
  const schema = schemaOf(successOf(contract).schema)
  if (contentType !== undefined) return content(schema, example, [contentType].flat())
  if (pages === 'html') return PAGE
  return { ...content(schema, example, types), ...(pages && PAGE) }
}

/** An operation with pages tells people of errors in a page, too. */
const describeError = (status: Status, { pages }: Contract) =>
  pages === undefined
    ? { $ref: `#/components/responses/${nameOf(status)}` }
    : { description: MEANINGS[status], headers: REQUEST_ID, content: { ...errorContent(status), ...PAGE } }

/** By status. `types`: content types of a body of JSON. */
export const describeResponses = (contract: Contract, given: { types: string[]; example: unknown }) => {
  const { summary, contentType, redirects } = contract
  const { status } = successOf(contract)
  const links = linksOf(contract)
  const paged = fieldsOf(contract.parameters?.query).some(({ name }) => name === 'cursor')
  return {
    [status]: {
      description: summary,
      headers: {
        ...REQUEST_ID,
        ...(paged && { link: { $ref: '#/components/headers/Link' } }),
        ...(contentType !== undefined && ETAG),
      },
      ...(status !== 204 && { content: successContent(contract, given) }),
      ...(links !== undefined && { links }),
    },
    ...(redirects && FOUND),
    ...(contentType !== undefined && NOT_MODIFIED),
    ...Object.fromEntries(
      errorStatusesOf(contract)
        .filter(isStatus)
        .map((code) => [code, describeError(code, contract)]),
    ),
  }
}
