/** The contract of an operation: what the pipeline checks, what the act is given, and what the OpenAPI document says. */
import type * as v from 'valibot'

export type Schema = v.GenericSchema

/** `token`: the gateway's authorizer lets in. `optional`: the operation looks at a token that is there. `none`: no token. */
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
  /** Not one of the document's seven operations. */
  companion?: true
  parameters?: { path?: Schema; query?: Schema }
  body?: Schema
  /** Content types beside JSON's own that the body may come in. */
  mediaTypes?: readonly string[]
  /** Its answer may hold a secret: what is kept of it for an `Idempotency-Key` is sealed. */
  secretAnswer?: true
  /** Body of the one status that means success. */
  answers: { 200: Schema } | { 201: Schema } | { 202: Schema }
  /** Statuses of the errors that it can answer. */
  statuses: readonly number[]
}

/**
 * Makes a contract of what it is given, with its exact type. It is given by a function, and called as pure, so that a bundle holds the
 * contracts that it uses and no other: a bundler may leave out a pure call, but not the calls that make its arguments.
 */
export const defineContract = <const C extends Contract>(contract: () => C): C => contract()

/** Visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Every operation that changes something for a caller with a token takes an `Idempotency-Key`, and no other does. */
export const takesIdempotencyKey = ({ method, security }: Pick<Contract, 'method' | 'security'>): boolean =>
  method !== 'GET' && security !== 'none'

/** Status of success, and the schema of its body. */
export const successOf = ({ answers }: Contract): { status: number; schema: Schema } => {
  if (200 in answers) return { status: 200, schema: answers[200] }
  return 201 in answers ? { status: 201, schema: answers[201] } : { status: 202, schema: answers[202] }
}
