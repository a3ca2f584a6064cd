/** Example calls of the service in the test's own process. */
import { sign, type TestIssuer } from '../api/tokens.ts'
import { contractOf, handlerOf } from '../source/operation-functions.ts'
import { atHttps } from '../stage/at-https.ts'
import type { Caller, InProcessStage } from '../stage/in-process-stage.ts'
import type { CallOperation } from './call-scene.ts'

/** The claims of a caller's token. */
export const claimsOfCaller = ({ role = 'RestRootAgentWithTenants', tenantId, organizations = {} }: Caller) => ({
  role: tenantId === undefined ? role : 'RestTenantAgent',
  tenantId,
  sub: 'test',
  resource_access: Object.fromEntries(Object.entries(organizations).map(([id, roles]) => [id, { roles }])),
})

/** Callers come in both ways: as the gateway's authorizer hands them over, and by a token of `issuer`. */
export const callInProcess =
  (stage: InProcessStage, issuer: TestIssuer): CallOperation =>
  async (operationId, { caller = {}, headers, ...asked }) => {
    const authorization = await sign(issuer, claimsOfCaller(caller))
    const call = () => stage.call(handlerOf(operationId), { ...asked, caller, headers: { authorization, ...headers } })
    return contractOf(operationId).path.startsWith('/openid4vc/') ? atHttps(call) : call()
  }
