/** Authorizer of the gateway: lets a valid token in and hands its principal on; object-level rules are the operation's. */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda'
import { actingAgent } from '../lib/auth/access.ts'
import { type Principal, toAuthorizerContext } from '../lib/auth/principal.ts'
import { rateKeyOf } from '../lib/auth/rate-key.ts'
import { verifyAuthorization } from '../lib/auth/token.ts'
import { isAgentError } from '../lib/errors.ts'
import { log } from '../lib/log.ts'
import { settings } from '../lib/settings.ts'

/** The gateway caches what is said here for every route, so it is said of the whole stage: `arn:...:<api>/<stage>` and all below. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/').slice(0, 2).join('/')}/*`

const allow = (principal: Principal, methodArn: string): APIGatewayAuthorizerResult => ({
  principalId: principal.subject,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: wholeStage(methodArn) }],
  },
  context: { ...toAuthorizerContext(principal) },
  usageIdentifierKey: rateKeyOf(settings().RATE_KEY_PREFIX, actingAgent(principal)),
})

/** The gateway knows one error by its text: `Unauthorized` becomes a 401. Any other becomes a 5xx, as a missing key set should. */
export const authorizer = async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  try {
    return allow(await verifyAuthorization(event.authorizationToken ?? ''), event.methodArn)
  } catch (error) {
    const refused = isAgentError(error, 'auth.unauthorized')
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined
    log(refused ? 'warn' : 'error', refused ? 'token refused' : 'token not checked', {
      ...(error instanceof Error && {
        name: error.name,
        reason: refused ? (cause ?? error.cause) : error.message,
        cause,
      }),
    })
    throw refused ? new Error('Unauthorized') : error
  }
}
