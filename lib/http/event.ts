/** The gateway's event in the pipeline: the caller, the validated values, and the preferred media type. */
import type middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { type Principal, principalFromContext } from '../auth/principal.ts'
import type { Contract } from '../interface/contract.ts'
import type { PreferredType } from './request.ts'

export interface Checked {
  principal?: Principal | undefined
  /** From the header `Authorization: Bearer`, if the contract accepts a wallet's token. */
  accessToken?: string | undefined
  path?: unknown
  query?: unknown
  body?: unknown
  idempotencyKey?: string | undefined
  preferredType?: PreferredType | undefined
}

export type OperationEvent = APIGatewayProxyEvent & { checked?: Checked }

export type OperationMiddleware = middy.MiddlewareFn<OperationEvent, APIGatewayProxyResult>

/** Adds validated values to the event. */
export const addChecked = (event: OperationEvent, checked: Checked): void => {
  event.checked = { ...event.checked, ...checked }
}

/**
 * A header by its name in lower case. Names are case-insensitive (RFC 9110, section 5.1), and the gateway passes them
 * on unchanged. Of a repeated header the last one counts, as in the gateway itself.
 */
export const headerOf = ({ headers }: OperationEvent, name: string): string | undefined => {
  let value: string | undefined
  for (const spelling in headers) if (spelling.toLowerCase() === name) value = headers[spelling]
  return value
}

/**
 * The gateway's extended request id, because a caller can choose the other one by the header `x-amzn-requestid`; or
 * Lambda's, if the function was invoked directly.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
 */
export const requestIdOf = (event: OperationEvent, context: { awsRequestId?: string }): string =>
  event.requestContext?.extendedRequestId ?? context.awsRequestId ?? 'unknown'

/** Verifies an `Authorization` header. Throws `auth.unauthorized` or `auth.keys_unavailable`. */
export type Verify = (authorization: string) => Promise<Principal>

/** If the header is present, its token must be valid: a caller with an invalid token is not treated as anonymous. */
const optionalPrincipal = async (event: OperationEvent, verify: Verify | undefined) => {
  const authorization = headerOf(event, 'authorization')
  return authorization && verify ? verify(authorization) : undefined
}

/** A wallet's access token; undefined if there is none (RFC 6750, section 2.1). */
const bearerOf = (event: OperationEvent): string | undefined =>
  /^bearer +([\w.~+/-]+=*)$/i.exec(headerOf(event, 'authorization') ?? '')?.[1]

/** Stores the principal in the event. Throws `auth.unauthorized` if the contract requires a token and there is none. */
export const checkCaller =
  ({ security, accessToken }: Contract, verify?: Verify): OperationMiddleware =>
  ({ event }) => {
    if (accessToken) addChecked(event, { accessToken: bearerOf(event) })
    if (security === 'token')
      addChecked(event, { principal: principalFromContext(event.requestContext?.authorizer, Date.now() / 1000) })
    if (security === 'optional')
      return optionalPrincipal(event, verify).then((principal) => addChecked(event, { principal }))
  }

/** The weight of a media type that is named explicitly, otherwise 0: a wildcard prefers neither. */
const weightOf = (ranges: string[], type: string): number => {
  for (const range of ranges) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}

/** The preferred media type of the `Accept` header. */
export const preferredTypeOf = (event: OperationEvent): PreferredType => {
  const ranges = (headerOf(event, 'accept') ?? '').split(',')
  const json = weightOf(ranges, 'application/json')
  const page = weightOf(ranges, 'text/html')
  if (json === 0 && page === 0) return 'any'
  return json >= page ? 'json' : 'page'
}
