/** Events as the gateway makes them, and a call of a handler with one. */
import type { APIGatewayProxyResult, Context } from 'aws-lambda'
import { type Principal, toAuthorizerContext } from '../../../lib/auth/principal.ts'
import type { OperationEvent } from '../../../lib/http/event.ts'

export const PRINCIPAL: Principal = {
  role: 'RestTenantAgent',
  tenantId: 'acme',
  organizations: { acme: ['owner'] },
  subject: 'alice',
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
}

/** The authorizer's context, as the gateway hands it over. */
export const authorizerOf = (principal: Principal) => ({
  principalId: principal.subject,
  integrationLatency: 7,
  ...toAuthorizerContext(principal),
})

export const AUTHORIZER = authorizerOf(PRINCIPAL)

export interface Given {
  authorizer?: object | undefined
  path?: Record<string, string>
  query?: Record<string, string>
  repeatedQuery?: Record<string, string[]>
  headers?: Record<string, string>
  body?: unknown
  isBase64Encoded?: boolean
}

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** A `body` that is a string is sent unchanged, any other as JSON. */
export const gatewayEvent = (given: Given = {}): OperationEvent => {
  const { path = {}, query = {}, headers = JSON_HEADERS, body, isBase64Encoded = false } = given
  const authorizer = 'authorizer' in given ? given.authorizer : AUTHORIZER
  const event = {
    resource: '/',
    path: '/',
    httpMethod: 'POST',
    headers,
    multiValueHeaders: {},
    pathParameters: path,
    queryStringParameters: query,
    multiValueQueryStringParameters: given.repeatedQuery ?? null,
    stageVariables: null,
    requestContext: { requestId: 'of-the-caller', extendedRequestId: 'request-1', authorizer },
    body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
    isBase64Encoded,
  }
  return event as unknown as OperationEvent
}

type Handler = (event: OperationEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Calls a handler; the response's body is parsed, unless it is a page. */
export const call = async (handler: Handler, given: Given = {}) => {
  const context = { awsRequestId: 'lambda-1', getRemainingTimeInMillis: () => 5000 } as Context
  const { statusCode, headers = {}, body } = await handler(gatewayEvent(given), context)
  const isPage = String(headers['content-type']).startsWith('text/html')
  return { statusCode, headers, body: body === '' ? undefined : isPage ? body : JSON.parse(body) }
}
