/** The gateway's own responses have the bodies and headers of the operations' errors. */
import { describe, expect, test } from 'vitest'
import type { GatewayResponse } from '../../../../infra/service.ts'
import { AgentError, type ErrorCode } from '../../../../lib/errors.ts'
import { REASON_PHRASES } from '../../../../lib/http/error-body.ts'
import { defineOperation } from '../../../../lib/http/operation.ts'
import { GetHealth } from '../../../../lib/interface/service.ts'
import { apiOf } from '../../../support/stage/api-document.ts'
import { call } from '../../http/gateway-event.ts'
import { resources } from './packaged.ts'

/**
 * The responses of API Gateway itself.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const STATUSES: Record<string, number> = {
  ACCESS_DENIED: 403,
  API_CONFIGURATION_ERROR: 500,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 503,
  BAD_REQUEST_PARAMETERS: 400,
  BAD_REQUEST_BODY: 400,
  DEFAULT_4XX: 400,
  DEFAULT_5XX: 500,
  // No operation asks for a signature: what looks like one to the gateway is at a route that is not there.
  EXPIRED_TOKEN: 404,
  INTEGRATION_FAILURE: 503,
  INTEGRATION_TIMEOUT: 503,
  INVALID_API_KEY: 403,
  INVALID_SIGNATURE: 404,
  MISSING_AUTHENTICATION_TOKEN: 404,
  QUOTA_EXCEEDED: 429,
  REQUEST_TOO_LARGE: 413,
  RESOURCE_NOT_FOUND: 404,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED_MEDIA_TYPE: 415,
  WAF_FILTERED: 403,
}

const responses = apiOf(resources).document['x-amazon-apigateway-gateway-responses']

const responseOf = (type: string): GatewayResponse => {
  const response = responses[type]
  if (response === undefined) throw new Error(`${type} has none`)
  return response
}

/** An error of each status. */
const CODES: Record<number, ErrorCode> = {
  400: 'request.malformed',
  401: 'auth.unauthorized',
  403: 'auth.forbidden',
  404: 'resource.not_found',
  413: 'request.too_large',
  415: 'request.unsupported_media_type',
  500: 'internal',
  503: 'store.unavailable',
}

/**
 * What an operation answers with a status. Only the gateway knows rates: a 429 is as a 503, to come back from later.
 */
const answerOf = async (status: number) => {
  const fails = defineOperation(GetHealth, {
    handle: () => {
      throw new AgentError(CODES[status === 429 ? 503 : status] ?? 'internal', 'it fails')
    },
  })
  const answer = await call(fails, { headers: {} })
  return status === 429 ? { ...answer, statusCode: 429, body: { statusCode: 429, error: REASON_PHRASES[429] } } : answer
}

test('every type that there is has one, and there is no other', () => {
  expect(Object.keys(responses).toSorted()).toEqual(Object.keys(STATUSES).toSorted())
})

describe.each(Object.entries(STATUSES))('%s', (type, status) => {
  test(`is a ${status} with the body of an operation’s error that tells no more`, async () => {
    const { statusCode, body } = await answerOf(status)
    expect(statusCode).toBe(status)
    const response = responseOf(type)
    expect(response.statusCode).toBe(status)
    const { statusCode: inBody, error } = body
    expect(response.responseTemplates).toEqual({ 'application/json': JSON.stringify({ statusCode: inBody, error }) })
  })

  test('has the headers of an operation’s error', async () => {
    const { headers } = await answerOf(status)
    const expected = Object.entries(headers)
      .filter(([name]) => name !== 'content-type')
      .map(([name, value]) => [
        `gatewayresponse.header.${name}`,
        name === 'x-request-id' ? 'context.extendedRequestId' : `'${value}'`,
      ])
    expect(responseOf(type).responseParameters).toEqual(Object.fromEntries(expected))
  })
})
