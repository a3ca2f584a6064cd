/** The principal: who calls, as the token says it, and its way through the authorizer's context. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { EntityId } from '../records/tenant.ts'

/** credo-controller's role names: the base agent; the base agent with its tenants; one tenant. */
export const ROLES = ['RestRootAgent', 'RestRootAgentWithTenants', 'RestTenantAgent'] as const
export type Role = (typeof ROLES)[number]

export interface Principal {
  role: Role
  /** Only with `RestTenantAgent`. */
  tenantId?: string
  /** Roles in each organization, by organization id. */
  organizations: Record<string, string[]>
  /** `sub` of the token, or its role. */
  subject: string
  /** Expiry of the token in epoch seconds. */
  expiresAt: number
}

/** Clock tolerance of every time claim, in seconds. */
export const CLOCK_TOLERANCE = 30

const Roles = v.array(v.pipe(v.string(), v.maxLength(128)))

/** The claims that make a principal. `iss` and `aud` are checked with the signature; `resource_access` is as Keycloak writes it. */
const Claims = v.looseObject({
  exp: v.number(),
  iat: v.optional(v.number()),
  sub: v.optional(v.pipe(v.string(), v.maxLength(256))),
  role: v.picklist(ROLES),
  tenantId: v.optional(v.unknown()),
  resource_access: v.optional(v.record(v.string(), v.looseObject({ roles: v.optional(Roles, []) })), {}),
})

const unauthorized = (cause?: unknown) => new AgentError('auth.unauthorized', 'Unauthorized', { cause })

/** A token is over when its expiry is further back than the tolerance. `now` in epoch seconds. */
const isExpired = (expiresAt: number, now: number): boolean => !(expiresAt > now - CLOCK_TOLERANCE)

/** Makes a principal of verified claims. `now` in epoch seconds. Throws `auth.unauthorized`. */
export const principalFromClaims = (claims: unknown, now: number): Principal => {
  const result = v.safeParse(Claims, claims)
  if (!result.success) throw unauthorized('claims')
  const { exp, iat, role, sub, tenantId, resource_access: access } = result.output
  // RFC 7519 leaves iat to the receiver: a token from the future is a clock or a forgery.
  if (isExpired(exp, now) || (iat !== undefined && iat > now + CLOCK_TOLERANCE)) throw unauthorized('time')
  const organizations = Object.fromEntries(
    Object.entries(access)
      .filter(([orgId]) => v.is(EntityId, orgId))
      .map(([orgId, { roles }]) => [orgId, roles]),
  )
  const principal = { role, organizations, subject: sub || role, expiresAt: exp }
  if (role !== 'RestTenantAgent') return principal
  if (!v.is(EntityId, tenantId)) throw unauthorized('tenantId')
  return { ...principal, tenantId }
}

/** What the gateway hands from the authorizer to the function: strings only. */
export interface AuthorizerContext {
  role: Role
  tenantId?: string
  organizations: string
  expiresAt: string
}

export const toAuthorizerContext = ({ role, tenantId, organizations, expiresAt }: Principal): AuthorizerContext => ({
  role,
  ...(tenantId !== undefined && { tenantId }),
  organizations: JSON.stringify(organizations),
  expiresAt: String(expiresAt),
})

const Context = v.looseObject({
  principalId: v.pipe(v.string(), v.minLength(1)),
  role: v.picklist(ROLES),
  tenantId: v.optional(EntityId),
  organizations: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.array(v.string()))),
  expiresAt: v.pipe(v.string(), v.toNumber()),
})

/**
 * Reads the principal back. Expiry is checked again, since the gateway caches what the authorizer said.
 * `now` in epoch seconds. Throws `auth.unauthorized`.
 */
export const principalFromContext = (context: unknown, now: number): Principal => {
  const result = v.safeParse(Context, context)
  if (!result.success) throw unauthorized('context')
  const { principalId, role, tenantId, organizations, expiresAt } = result.output
  if (isExpired(expiresAt, now)) throw unauthorized('time')
  if ((role === 'RestTenantAgent') !== (tenantId !== undefined)) throw unauthorized('tenantId')
  return { role, ...(tenantId !== undefined && { tenantId }), organizations, subject: principalId, expiresAt }
}
