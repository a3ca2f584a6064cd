/** The authorizer of the gateway: accepts valid tokens and passes on the principal. Operations check what it may do. */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda'
import { actingAgent } from '../lib/auth/access.ts'
import { authenticate } from '../lib/auth/authenticate.ts'
import { type Principal, toAuthorizerContext } from '../lib/auth/principal.ts'
import { rateKeyOf } from '../lib/auth/rate-key.ts'
import { isAgentError } from '../lib/errors.ts'
import { toErrorLog } from '../lib/http/error-body.ts'
import { log } from '../lib/log.ts'
import { measure } from '../lib/metrics.ts'
import { settings } from '../lib/settings.ts'

/** A policy for the whole stage (`arn:...:<api>/<stage>/*`), because the gateway caches it for all routes. */
const policy = (Effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult['policyDocument'] => {
  const stage = methodArn.split('/').slice(0, 2).join('/')
  return { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: `${stage}/*` }] }
}

const allow = (principal: Principal, methodArn: string): APIGatewayAuthorizerResult => {
  const { TENANT_RATE, RATE_KEY_PREFIX } = settings()
  return {
    principalId: principal.subject,
    policyDocument: policy('Allow', methodArn),
    // For the access log (infra/stage.yml).
    context: {
      ...toAuthorizerContext(principal),
      tenant: actingAgent(principal),
      // Users may be able to choose it, and the access log does not escape it.
      subject: encodeURIComponent(principal.subject.toWellFormed()),
    },
    ...(TENANT_RATE > 0 && { usageIdentifierKey: rateKeyOf(RATE_KEY_PREFIX, actingAgent(principal)) }),
  }
}

const measureFault = (error: unknown): void => {
  const fields = { event: 'authorizer.failed', ...toErrorLog(error) } as const
  measure('error', 'token not checked', fields, { values: { AuthorizerFaults: 1 } })
}

/**
 * The gateway answers a denial with 403, an error with the text `Unauthorized` with 401, and any other error, such as an unavailable key set or table,
 * with 5xx.
 */
export const authorizer = async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  try {
    return allow(await authenticate(event.authorizationToken ?? ''), event.methodArn)
  } catch (error) {
    const forbidden = isAgentError(error, 'auth.forbidden')
    const refused = forbidden || isAgentError(error, 'auth.unauthorized')
    if (refused) log('warn', 'a token was refused', { event: 'token.refused', ...toErrorLog(error) })
    else measureFault(error)
    if (forbidden) return { principalId: 'forbidden', policyDocument: policy('Deny', event.methodArn) }
    throw refused ? new Error('Unauthorized') : error
  }
}
