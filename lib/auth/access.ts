/** Authorization rules for a principal: pure functions that throw `auth.forbidden`, without a reason. */
import { AgentError } from '../errors.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { type Reach, reaches } from './grants.ts'
import type { Principal } from './principal.ts'

const forbidden = () => new AgentError('auth.forbidden', 'Forbidden')

/** CREDEBL's organization roles that may change an organization's webhooks. */
const MANAGING_ROLES = ['owner', 'admin']

/** The agent of a request whose path names none: the token's tenant, or the base agent. */
export const actingAgent = ({ role, tenantId }: Principal): string => {
  if (role !== 'RestTenantAgent') return BASE_AGENT
  if (tenantId === undefined) throw forbidden()
  return tenantId
}

/** The tenant in the path, if the principal may act for it. The store checks whether it exists (404). */
export const namedTenant = ({ role, tenantId: own, grants }: Principal, tenantId: string): string => {
  const allowed =
    (role === 'RestRootAgentWithTenants' && reaches(grants?.tenants ?? '*', tenantId)) ||
    (role === 'RestTenantAgent' && own === tenantId)
  if (!allowed) throw forbidden()
  return tenantId
}

/**
 * Checks that a principal may create tenants: a root token with tenants, of an issuer without limits on tenants.
 * `orgId`: the organization of the new tenant; without it the tenant gets a new one.
 */
export const assertMayCreateTenants = ({ role, grants }: Principal, orgId?: string): void => {
  const { tenants = '*', organizations = '*' } = grants ?? {}
  const allowed =
    role === 'RestRootAgentWithTenants' && tenants === '*' && (orgId === undefined || reaches(organizations, orgId))
  if (!allowed) throw forbidden()
}

/** Which tenants of an organization a principal may list: a root token with tenants, within its issuer's grants. */
export const listableTenants = ({ role, grants }: Principal, orgId: string): Reach => {
  const { tenants = '*', organizations = '*' } = grants ?? {}
  if (role !== 'RestRootAgentWithTenants' || !reaches(organizations, orgId)) throw forbidden()
  return tenants
}

/** Checks that a principal may remove a tenant: a root token with tenants, of an issuer that may reach it. */
export const assertMayRemove = (principal: Principal, tenantId: string): void => {
  if (principal.role !== 'RestRootAgentWithTenants') throw forbidden()
  namedTenant(principal, tenantId)
}

/**
 * Checks that a principal manages an organization: its owners and admins; a root token with tenants for all
 * organizations, one without only for the base agent's, both within their issuer's grants.
 */
export const assertManages = (principal: Principal, orgId: string, baseOrgId = settings().BASE_ORG_ID): void => {
  const { role, organizations, grants } = principal
  const allowed =
    role === 'RestTenantAgent'
      ? Object.hasOwn(organizations, orgId) && organizations[orgId]?.some((held) => MANAGING_ROLES.includes(held))
      : (role === 'RestRootAgentWithTenants' || orgId === baseOrgId) && reaches(grants?.organizations ?? '*', orgId)
  if (!allowed) throw forbidden()
}

/** The agent of a request that manages an organization. */
export const managingAgent = (principal: Principal, orgId: string): string => {
  assertManages(principal, orgId)
  return actingAgent(principal)
}
