/** Events of API Gateway's REST API, with all their members: they are parsed, copied and frozen on the way to a function. */
import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { toAuthorizerContext } from '../../../lib/auth/principal.ts'
import type { Caller } from '../stage/in-process-stage.ts'

export interface GatewayCall {
  method?: string
  path?: Record<string, string>
  query?: Record<string, string>
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Whose token; a root token with tenants unless said. */
  caller?: Caller
}

const HEADERS = {
  Accept: '*/*',
  'Accept-Encoding': 'gzip, deflate, br',
  Authorization: 'Bearer token',
  Host: 'abcdefghij.execute-api.eu-west-1.amazonaws.com',
  'User-Agent': 'curl/8.5.0',
  'X-Amzn-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
  'X-Forwarded-For': '192.0.2.1',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
}

const many = (single: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(single).map(([name, value]) => [name, [value]]))

const EXPIRES_AT = Math.floor(Date.now() / 1000) + 3600

const authorizerOf = ({ role = 'RestRootAgentWithTenants', tenantId, organizations = {} }: Caller) => ({
  principalId: 'bench',
  ...toAuthorizerContext({
    role: tenantId === undefined ? role : 'RestTenantAgent',
    ...(tenantId !== undefined && { tenantId }),
    organizations,
    subject: 'bench',
    expiresAt: EXPIRES_AT,
  }),
})

export const gatewayEvent = (call: GatewayCall = {}): APIGatewayProxyEvent => {
  const { method = 'POST', path = null, query = null, body, caller = {} } = call
  const headers = { ...HEADERS, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...call.headers }
  return {
    resource: '/',
    path: '/',
    httpMethod: method,
    headers,
    multiValueHeaders: many(headers),
    queryStringParameters: query,
    multiValueQueryStringParameters: query === null ? null : many(query),
    pathParameters: path,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      authorizer: authorizerOf(caller),
      protocol: 'HTTP/1.1',
      httpMethod: method,
      identity: {
        sourceIp: '192.0.2.1',
        userAgent: 'curl/8.5.0',
      } as APIGatewayProxyEvent['requestContext']['identity'],
      path: '/dev/',
      stage: 'dev',
      requestId: randomUUID(),
      extendedRequestId: randomUUID(),
      requestTimeEpoch: Date.now(),
      resourceId: 'abc123',
      resourcePath: '/',
    },
    body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
    isBase64Encoded: false,
  }
}
