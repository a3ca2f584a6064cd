/** Who may do what: pure rules over a principal. They throw `auth.forbidden`, which says nothing of the reason. */
import { AgentError } from '../errors.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import type { Principal } from './principal.ts'

const forbidden = () => new AgentError('auth.forbidden', 'Forbidden')

/** CREDEBL's organization roles that may change an organization's webhooks. */
const MANAGING_ROLES = ['owner', 'admin']

/** The agent that acts when the path names none: the token's tenant, or the base agent. */
export const actingAgent = ({ role, tenantId }: Principal): string => {
  if (role !== 'RestTenantAgent') return BASE_AGENT
  if (tenantId === undefined) throw forbidden()
  return tenantId
}

/** The tenant that the path names, if the principal may name it. Whether it exists (404) is for the store to say. */
export const namedTenant = (principal: Principal, tenantId: string): string => {
  const allowed =
    principal.role === 'RestRootAgentWithTenants' ||
    (principal.role === 'RestTenantAgent' && principal.tenantId === tenantId)
  if (!allowed) throw forbidden()
  return tenantId
}

/** Only a root token with tenants may create tenants. */
export const assertMayCreateTenants = ({ role }: Principal): void => {
  if (role !== 'RestRootAgentWithTenants') throw forbidden()
}

/** Owner or admin of the organization, or a root token. */
export const assertManages = ({ role, organizations }: Principal, orgId: string): void => {
  if (role === 'RestRootAgent' || role === 'RestRootAgentWithTenants') return
  const roles = Object.hasOwn(organizations, orgId) ? organizations[orgId] : undefined
  if (!roles?.some((held) => MANAGING_ROLES.includes(held))) throw forbidden()
}
