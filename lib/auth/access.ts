/** Who may do what: pure rules over a principal. They throw `auth.forbidden`, which says nothing of the reason. */
import { AgentError } from '../errors.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { reaches } from './grants.ts'
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
export const namedTenant = ({ role, tenantId: own, grants }: Principal, tenantId: string): string => {
  const allowed =
    (role === 'RestRootAgentWithTenants' && reaches(grants?.tenants ?? '*', tenantId)) ||
    (role === 'RestTenantAgent' && own === tenantId)
  if (!allowed) throw forbidden()
  return tenantId
}

/**
 * Only a root token with tenants may create tenants, and not one of an issuer that is limited to some. `orgId`: the organization that
 * is to have the tenant; none: one of its own.
 */
export const assertMayCreateTenants = ({ role, grants }: Principal, orgId?: string): void => {
  const { tenants = '*', organizations = '*' } = grants ?? {}
  const allowed =
    role === 'RestRootAgentWithTenants' && tenants === '*' && (orgId === undefined || reaches(organizations, orgId))
  if (!allowed) throw forbidden()
}

/**
 * Who manages an organization: its owners and admins; a root token without tenants only the base agent's, one with tenants all, each as
 * far as its issuer's grants go.
 */
export const assertManages = (principal: Principal, orgId: string, baseOrgId = settings().BASE_ORG_ID): void => {
  const { role, organizations, grants } = principal
  const allowed =
    role === 'RestTenantAgent'
      ? Object.hasOwn(organizations, orgId) && organizations[orgId]?.some((held) => MANAGING_ROLES.includes(held))
      : (role === 'RestRootAgentWithTenants' || orgId === baseOrgId) && reaches(grants?.organizations ?? '*', orgId)
  if (!allowed) throw forbidden()
}

/** The agent that somebody acts in who manages an organization. */
export const managingAgent = (principal: Principal, orgId: string): string => {
  assertManages(principal, orgId)
  return actingAgent(principal)
}
