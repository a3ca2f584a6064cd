/** The principal: the caller according to the token, and how it is passed through the authorizer's context. */
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { isObject } from '../json.ts'
import { EntityId } from '../records/tenant.ts'
import { type Grants, Reach, ROLES, reaches } from './grants.ts'

/** Clock tolerance of every time claim, in seconds. */
export const CLOCK_TOLERANCE = 30

/**
 * An object with any keys. valibot's `record` drops `__proto__`, `prototype` and `constructor`, which are valid ids.
 */
const byId = <Value>(value: v.GenericSchema<unknown, Value>) =>
  v.pipe(
    v.custom<Record<string, unknown>>(isObject),
    v.rawTransform(({ dataset, addIssue, NEVER }): Record<string, Value> => {
      const entries: [string, Value][] = []
      for (const [id, one] of Object.entries(dataset.value)) {
        const result = v.safeParse(value, one)
        if (result.success) entries.push([id, result.output])
        else addIssue({ message: result.issues[0].message })
      }
      return entries.length === Object.keys(dataset.value).length ? Object.fromEntries(entries) : NEVER
    }),
  )

/** The claims of a principal. `iss` and `aud` are checked with the signature; `resource_access` has Keycloak's form. */
const Claims = v.looseObject({
  exp: v.number(),
  iat: v.optional(v.number()),
  sub: v.optional(v.pipe(v.string(), v.maxLength(256))),
  role: v.picklist(ROLES),
  tenantId: v.optional(v.unknown()),
  resource_access: v.optional(byId(v.looseObject({ roles: v.optional(v.array(v.string()), []) })), {}),
})

const unauthorized = (cause: string) => new AgentError('auth.unauthorized', 'Unauthorized', { cause })
const forbidden = (cause: string) => new AgentError('auth.forbidden', 'Forbidden', { cause })

/** Whether a token has expired, with the tolerance. `now` in epoch seconds. */
const isExpired = (expiresAt: number, now: number): boolean => !(expiresAt > now - CLOCK_TOLERANCE)

/**
 * Creates a principal from verified claims and its issuer's grants. `now` in epoch seconds. Throws `auth.unauthorized`,
 * and `auth.forbidden` for a role or tenant that the issuer has no grant for.
 */
export const principalFromClaims = (claims: unknown, now: number, grants: Grants): Principal => {
  const result = v.safeParse(Claims, claims)
  if (!result.success) throw unauthorized('claims')
  const { exp, iat, role, sub, tenantId, resource_access: access } = result.output
  // RFC 7519 leaves `iat` to the receiver: a token from the future has a wrong clock or is forged.
  if (isExpired(exp, now) || (iat !== undefined && iat > now + CLOCK_TOLERANCE)) throw unauthorized('time')
  const organizations = Object.fromEntries(
    Object.entries(access)
      .filter(([orgId]) => v.is(EntityId, orgId) && reaches(grants.organizations, orgId))
      .map(([orgId, { roles }]) => [orgId, roles]),
  )
  const principal = { role, organizations, subject: sub || role, expiresAt: exp }
  if (!grants.roles.includes(role)) throw forbidden('role')
  if (role !== 'RestTenantAgent') return { ...principal, ...limitsOf(grants) }
  if (!v.is(EntityId, tenantId)) throw unauthorized('tenantId')
  if (!reaches(grants.tenants, tenantId)) throw forbidden('tenant')
  return { ...principal, tenantId }
}

/** The limits of a root principal; none if its issuer is not limited. */
const limitsOf = ({ tenants, organizations }: Grants): Pick<Principal, 'grants'> =>
  tenants === '*' && organizations === '*' ? {} : { grants: { tenants, organizations } }

/** The context that the gateway passes from the authorizer to the function: strings only. */
const Context = v.object({ principal: v.string() })

export const toAuthorizerContext = (principal: Principal): v.InferOutput<typeof Context> => ({
  principal: JSON.stringify(principal),
})

const PrincipalJson = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    role: v.picklist(ROLES),
    /** Only with `RestTenantAgent`. */
    tenantId: v.exactOptional(EntityId),
    /** Roles by organization id. Any id may be a key, also `__proto__`: look for own keys only. */
    organizations: byId(v.array(v.string())),
    /** Only with a root role of a limited issuer: the tenants and organizations that it may reach. */
    grants: v.exactOptional(v.object({ tenants: Reach, organizations: Reach })),
    /** `sub` of the token, or its role. */
    subject: v.pipe(v.string(), v.minLength(1)),
    /** Expiry of the token in epoch seconds. */
    expiresAt: v.number(),
  }),
  v.check(({ role, tenantId }) => (role === 'RestTenantAgent') === (tenantId !== undefined)),
)

export type Principal = v.InferOutput<typeof PrincipalJson>

const readPrincipal = (json: string): Principal => {
  const result = v.safeParse(PrincipalJson, json)
  if (!result.success) throw unauthorized('context')
  return result.output
}

/** Recent principals: the gateway passes the same text as long as it caches the authorizer's result. */
const principalCache = new Bounded<string, Principal>(100)

/**
 * Parses a principal from the context. Expiry is checked again, because the gateway caches the authorizer's result.
 * `now` in epoch seconds. Throws `auth.unauthorized`.
 */
export const principalFromContext = (context: unknown, now: number): Principal => {
  if (!v.is(Context, context)) throw unauthorized('context')
  const principal =
    principalCache.get(context.principal) ?? principalCache.set(context.principal, readPrincipal(context.principal))
  if (isExpired(principal.expiresAt, now)) throw unauthorized('time')
  return principal
}
