/**
 * The contract of an operation: the pipeline checks it, the handler's types and the OpenAPI document are derived from
 * it.
 */
import * as v from 'valibot'

export type Schema<Input = unknown> = v.GenericSchema<Input>

/**
 * `token`: the gateway's authorizer requires a token. `optional`: the operation checks a token if one is sent. `none`:
 * no token.
 */
type Security = 'token' | 'optional' | 'none'

export interface Contract {
  /** Unique. The seven operations of the interface document keep their names. */
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Path of the same operation with the tenant in it. */
  tenantPath?: string
  summary: string
  description?: string
  security: Security
  /** Wallets send an access token of OAuth (RFC 6750), which the operation itself checks. */
  accessToken?: true
  /** The operation changes something: it runs in one transaction. */
  writes?: true | undefined
  /** It accepts an `Idempotency-Key`: the same key gets the first response again. */
  idempotent?: true
  /** One of the operations of the interface document, which keep their paths and bodies. All others are companions. */
  firstInterface?: true
  parameters?: { path?: Schema; query?: Schema }
  body?: Schema
  /**
   * What the body is, and what its schema gets: `json` (the default), any value; `form`, a form's values by name, without
   * the empty ones.
   */
  bodyFormat?: BodyFormat
  /** Accepted content types of the body, in addition to JSON's. */
  mediaTypes?: readonly string[]
  /** The request or the response may contain a secret: the copy stored for an `Idempotency-Key` is encrypted. */
  holdsSecret?: true
  /** Response body of the success status. */
  responses: { 200: Schema } | { 201: Schema } | { 202: Schema } | { 204: Schema<undefined> }
  /**
   * The response is a document of this type, or one of these types. It is sent unchanged, with an ETag if the operation
   * only reads.
   */
  contentType?: string | readonly string[]
  /** The form of errors: the service's own, or `{error, error_description}` (RFC 6749, section 5.2). */
  errors?: 'oauth'
  /**
   * For browsers: callers that accept HTML get pages, also for errors; `Accept: application/json` gets JSON. `html`:
   * only errors have JSON.
   */
  pages?: 'html' | 'html or json'
  /** A caller that does not ask for JSON is redirected (302). */
  redirects?: true
  /**
   * Error statuses that `errorStatusesOf` can't derive: 401 and 403 for a token that the operation itself checks, 404
   * for something that does not exist, 409 for something that is not ready, 410 for something that was deleted, 422 for
   * an id in the path that can't be resolved.
   */
  errorStatuses?: readonly (401 | 403 | 404 | 409 | 410 | 422)[]
}

export type BodyFormat = 'json' | 'form'

/** An operation that changes something for the token's agent. */
export const COMMAND = { method: 'POST', security: 'token', writes: true, idempotent: true } as const

/** The same, for a record that it names. */
export const ACTION = { ...COMMAND, errorStatuses: [404] } as const

/** An operation that deletes a record of the token's agent. */
export const DELETION = { ...ACTION, method: 'DELETE', responses: { 204: v.undefined() } } as const

/** An operation that reads for the token's agent. */
export const QUERY = { method: 'GET', security: 'token' } as const

/** The same, for a record that it names. */
export const LOOKUP = { method: 'GET', security: 'token', errorStatuses: [404] } as const

/** An operation without a token that reads what the path names. */
export const OPEN = { method: 'GET', security: 'none', errorStatuses: [404] } as const

/** Changes the record that the path names, and shows it. */
export const actionOn = <const Path extends Schema, const Shown extends Schema>(path: Path, shown: Shown) =>
  ({ ...ACTION, parameters: { path }, responses: { 200: shown } }) as const

/** Shows the record that the path names. */
export const lookupOf = <const Path extends Schema, const Shown extends Schema>(path: Path, shown: Shown) =>
  ({ ...LOOKUP, parameters: { path }, responses: { 200: shown } }) as const

/** Lists the records that the query asks for. */
export const listingOf = <const Query extends Schema, const Shown extends Schema>(query: Query, shown: Shown) =>
  ({ ...QUERY, parameters: { query }, responses: { 200: v.array(shown) } }) as const

/**
 * Defines a contract and keeps its exact type. The contract is given as a function, and the call is marked as pure, so
 * that a bundle contains only the contracts that it uses: a bundler may leave out a pure call, but not the calls in its
 * arguments.
 */
export const defineContract = <const C extends Contract>(contract: () => C): C => contract()

/** Visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Error statuses of an operation: derived from security, parameters and body, and those that the contract declares. */
export const errorStatusesOf = (contract: Contract): number[] => {
  const { security, idempotent, parameters, body, errors, errorStatuses = [] } = contract
  const statuses = [
    ...(parameters || body || idempotent ? [400] : []),
    ...(security === 'none' ? [] : [401, 403]),
    ...(contract.accessToken ? [401] : []),
    // A record changed at the same time, or the key was used with another request.
    ...(idempotent ? [409] : []),
    ...(body ? [413, 415] : []),
    // In OAuth's form it is a 400.
    ...(body && errors === undefined ? [422] : []),
    ...[...errorStatuses, 429, 500, 503],
  ]
  return [...new Set(statuses)].sort((a, b) => a - b)
}

/** The success status, and the schema of its body. */
export const successOf = ({ responses }: Contract): { status: number; schema: Schema } => {
  if (200 in responses) return { status: 200, schema: responses[200] }
  if (201 in responses) return { status: 201, schema: responses[201] }
  return 202 in responses ? { status: 202, schema: responses[202] } : { status: 204, schema: responses[204] }
}

/** Whether a request may have an empty body: no field is required. */
export const mayBeEmpty = ({ body, security }: Contract): boolean =>
  body !== undefined && security !== 'none' && v.is(body, {})

export const ErrorBody = v.strictObject({
  statusCode: v.number(),
  /** The HTTP reason phrase. */
  error: v.string(),
  message: v.optional(v.string()),
  /** Every invalid field of a request, with its dotted path. */
  details: v.optional(v.array(v.strictObject({ path: v.string(), message: v.string() }))),
})

export type ErrorBody = v.InferOutput<typeof ErrorBody>
