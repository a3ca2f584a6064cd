/**
 * The authorizer's result for the gateway: a policy, the caller for the access log, and the API key for the tenant's
 * rate.
 */
import type { APIGatewayAuthorizerResult } from 'aws-lambda'
import { actingAgent } from '../auth/access.ts'
import { type Principal, toAuthorizerContext } from '../auth/principal.ts'
import { rateKeyOf } from '../auth/rate-key.ts'
import { settings } from '../settings.ts'

/** For the whole stage (`arn:...:<api>/<stage>/*`), because the gateway caches it for all routes. */
const policy = (Effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult['policyDocument'] => {
  const stage = methodArn.split('/').slice(0, 2).join('/')
  return { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: `${stage}/*` }] }
}

export const allow = (principal: Principal, methodArn: string): APIGatewayAuthorizerResult => {
  const { TENANT_RATE, RATE_KEY_PREFIX } = settings()
  return {
    principalId: principal.subject,
    policyDocument: policy('Allow', methodArn),
    // For the access log (infra/stage.yml).
    context: {
      ...toAuthorizerContext(principal),
      tenant: actingAgent(principal),
      // Encoded, because users may be able to choose it, and the access log does not escape it.
      subject: encodeURIComponent(principal.subject.toWellFormed()),
    },
    ...(TENANT_RATE > 0 && { usageIdentifierKey: rateKeyOf(RATE_KEY_PREFIX, actingAgent(principal)) }),
  }
}

export const deny = (methodArn: string): APIGatewayAuthorizerResult => ({
  principalId: 'forbidden',
  policyDocument: policy('Deny', methodArn),
})
