/** The authorizer of the gateway: accepts valid tokens and passes on the principal. Operations check what it may do. */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda'
import { authenticate } from '../lib/auth/authenticate.ts'
import { logSlowInvocations } from '../lib/background.ts'
import { isAgentError } from '../lib/errors.ts'
import { toErrorLog } from '../lib/http/error-body.ts'
import { allow, deny } from '../lib/http/gateway-policy.ts'
import { log } from '../lib/log.ts'
import { measure } from '../lib/metrics.ts'

/** The gateway's status is 403 for a denial, 401 for an error with the text `Unauthorized`, and 5xx for any other. */
export const authorizer = logSlowInvocations(
  async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const { authorizationToken = '', methodArn } = event
    try {
      return allow(await authenticate(authorizationToken), methodArn)
    } catch (error) {
      const isForbidden = isAgentError(error, 'auth.forbidden')
      if (!isForbidden && !isAgentError(error, 'auth.unauthorized')) {
        const fields = { event: 'authorizer.failed', ...toErrorLog(error) } as const
        measure('error', 'token not checked', fields, { values: { AuthorizerFaults: 1 } })
        throw error
      }
      log('warn', 'token rejected', { event: 'token.refused', ...toErrorLog(error) })
      if (isForbidden) return deny(methodArn)
      throw new Error('Unauthorized')
    }
  },
)
