/** Authorizer of the gateway: lets a valid token in and hands its principal on; object-level rules are the operation's. */
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

/** The gateway caches what is said here for every route, so it is said of the whole stage: `arn:...:<api>/<stage>` and all below. */
const policy = (Effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult['policyDocument'] => {
  const stage = methodArn.split('/').slice(0, 2).join('/')
  return { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: `${stage}/*` }] }
}

const allow = (principal: Principal, methodArn: string): APIGatewayAuthorizerResult => {
  const { TENANT_RATE, RATE_KEY_PREFIX } = settings()
  return {
    principalId: principal.subject,
    policyDocument: policy('Allow', methodArn),
    // The access log names tenant and subject (infra/stage.yml).
    context: {
      ...toAuthorizerContext(principal),
      tenant: actingAgent(principal),
      // An issuer may let its users choose it, and the log puts it between quotes as it is.
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
 * A denial becomes a 403. Of errors the gateway knows one by its text: `Unauthorized` becomes a 401. Any other becomes a 5xx, as a missing
 * key set or a table that does not answer should.
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
