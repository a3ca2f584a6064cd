/** The principal: who calls, as the token says it, and its way through the authorizer's context. */
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
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
  /** JSON of the principal. */
  principal: string
}

export const toAuthorizerContext = (principal: Principal): AuthorizerContext => ({
  principal: JSON.stringify(principal),
})

const Context = v.object({ principal: v.string() })

const PrincipalJson = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    role: v.picklist(ROLES),
    tenantId: v.exactOptional(EntityId),
    organizations: v.record(v.string(), v.array(v.string())),
    subject: v.pipe(v.string(), v.minLength(1)),
    expiresAt: v.number(),
  }),
  v.check(({ role, tenantId }) => (role === 'RestTenantAgent') === (tenantId !== undefined)),
)

const readPrincipal = (json: string): Principal => {
  const result = v.safeParse(PrincipalJson, json)
  if (!result.success) throw unauthorized('context')
  return result.output
}

/** The principals of late: the gateway hands the same text over for as long as it keeps the authorizer's answer. */
const known = new Bounded<string, Principal>(100)

/**
 * Reads the principal back. Expiry is checked again, since the gateway caches what the authorizer said.
 * `now` in epoch seconds. Throws `auth.unauthorized`.
 */
export const principalFromContext = (context: unknown, now: number): Principal => {
  if (!v.is(Context, context)) throw unauthorized('context')
  const principal = known.get(context.principal) ?? known.set(context.principal, readPrincipal(context.principal))
  if (isExpired(principal.expiresAt, now)) throw unauthorized('time')
  return principal
}
