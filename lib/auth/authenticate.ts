/** Authenticates the caller: from the `Authorization` header to the principal of an existing tenant. */
import { AgentError } from '../errors.ts'
import { tenantExists } from '../tenants/tenants.ts'
import type { Principal } from './principal.ts'
import { verifyAuthorization } from './token.ts'

/**
 * Verifies the token, and checks that its tenant exists. Throws `auth.unauthorized`, `auth.forbidden` if the token's
 * issuer has no grant for its role or tenant, `auth.keys_unavailable` and `store.unavailable`.
 */
export const authenticate = async (authorization: string): Promise<Principal> => {
  const principal = await verifyAuthorization(authorization)
  const { tenantId } = principal
  if (tenantId !== undefined && !(await tenantExists(tenantId)))
    throw new AgentError('auth.unauthorized', 'Unauthorized', { cause: 'no such tenant' })
  return principal
}
