/** The contract of an operation: what the pipeline checks, what the handler is given, and what the OpenAPI document says. */
import * as v from 'valibot'

export type Schema<Input = unknown> = v.GenericSchema<Input>

/** `token`: the gateway's authorizer requires a token. `optional`: the operation checks a token if one is sent. `none`: no token. */
type Security = 'token' | 'optional' | 'none'

export interface Contract {
  /** Unique; for the seven it is the document's operation name. */
  operationId: string
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** The same operation addressed through a tenant in the path. */
  tenantPath?: string
  summary: string
  description?: string
  security: Security
  /** It changes something: it runs in one transaction, and the same `Idempotency-Key` gets the first answer again. */
  idempotent?: true
  /** Not one of the document's seven operations. */
  companion?: true
  parameters?: { path?: Schema; query?: Schema }
  body?: Schema
  /** Accepted content types of the body, in addition to JSON's. */
  mediaTypes?: readonly string[]
  /** The request or the response may contain a secret: the copy stored for an `Idempotency-Key` is encrypted. */
  holdsSecret?: true
  /** Response body of the success status. */
  answers: { 200: Schema } | { 201: Schema } | { 202: Schema } | { 204: Schema<undefined> }
  /** The answer is a stored document of this type, or of one of these, which the pipeline hands on as it is. It has an ETag. */
  contentType?: string | readonly string[]
  /** People open it: who accepts HTML gets a page, errors too; `Accept: application/json` gets JSON. `html`: there is no JSON but for errors. */
  pages?: 'html' | 'html or json'
  /** A caller that does not ask for JSON is redirected (302). */
  redirects?: true
  /** What it refuses beyond `errorStatusesOf`: 404 for what is not there, 409 for what is not ready, 410 for what is no more, 422 for an id in the path that cannot be resolved. */
  refusals?: readonly (404 | 409 | 410 | 422)[]
}

/**
 * Makes a contract of what it is given, with its exact type. It is given by a function, and called as pure, so that a bundle holds the
 * contracts that it uses and no other: a bundler may leave out a pure call, but not the calls that make its arguments.
 */
export const defineContract = <const C extends Contract>(contract: () => C): C => contract()

/** Visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Statuses of the errors that an operation can answer, as its security, parameters and body have them, and those that it declares. */
export const errorStatusesOf = ({ security, idempotent, parameters, body, refusals = [] }: Contract): number[] => {
  const statuses = [
    ...(parameters || body || idempotent ? [400] : []),
    ...(security === 'none' ? [] : [401, 403]),
    // A record changed at the same time, or the key came with another request.
    ...(idempotent ? [409] : []),
    ...(body ? [413, 415, 422] : []),
    ...[...refusals, 429, 500, 503],
  ]
  return [...new Set(statuses)].sort((a, b) => a - b)
}

/** Status of success, and the schema of its body. */
export const successOf = ({ answers }: Contract): { status: number; schema: Schema } => {
  if (200 in answers) return { status: 200, schema: answers[200] }
  if (201 in answers) return { status: 201, schema: answers[201] }
  return 202 in answers ? { status: 202, schema: answers[202] } : { status: 204, schema: answers[204] }
}

/** Whether a request may come without the body that the contract describes: no field of it is required. */
export const mayBeEmpty = ({ body, security }: Contract): boolean =>
  body !== undefined && security !== 'none' && v.is(body, {})

export const ErrorBody = v.strictObject({
  statusCode: v.number(),
  /** The HTTP reason phrase. */
  error: v.string(),
  message: v.optional(v.string()),
  /** Every failing field of a request, with its dotted path. */
  details: v.optional(v.array(v.strictObject({ path: v.string(), message: v.string() }))),
})

export type ErrorBody = v.InferOutput<typeof ErrorBody>
