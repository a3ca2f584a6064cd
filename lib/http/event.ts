/** The gateway's event on its way through the pipeline: what has been checked is kept beside what came in. */
import type middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { Principal } from '../auth/principal.ts'

export interface Checked {
  principal?: Principal | undefined
  path?: unknown
  query?: unknown
  body?: unknown
}

export type OperationEvent = APIGatewayProxyEvent & { checked?: Checked }

export type OperationMiddleware = middy.MiddlewareFn<OperationEvent, APIGatewayProxyResult>

/** Adds to what has been checked. */
export const keep = (event: OperationEvent, checked: Checked): void => {
  event.checked = { ...event.checked, ...checked }
}

/** Header names are case-insensitive (RFC 9110, section 5.1), the gateway hands them over as they came. */
export const lowerCaseHeaders: OperationMiddleware = ({ event }) => {
  event.headers = Object.fromEntries(
    Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** The gateway's id of the request; on its own a function has Lambda's. */
export const requestIdOf = (event: OperationEvent, context: { awsRequestId?: string }): string =>
  event.requestContext?.requestId ?? context.awsRequestId ?? 'unknown'
