import { describe, expect, test } from 'vitest'
import {
  actingAgent,
  assertManages,
  assertMayCreateTenants,
  listableTenants,
  managingAgent,
  namedTenant,
} from '../../../lib/auth/access.ts'
import type { Principal } from '../../../lib/auth/principal.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'

const principal = (fields: Partial<Principal>): Principal => ({
  role: 'RestRootAgent',
  organizations: {},
  subject: 'somebody',
  expiresAt: 0,
  ...fields,
})

const root = principal({})
const rootWithTenants = principal({ role: 'RestRootAgentWithTenants' })
const tenant = principal({ role: 'RestTenantAgent', tenantId: 'acme' })
const forbidden = expect.objectContaining({ code: 'auth.forbidden' })

describe('the acting agent', () => {
  test('is the base agent for both root roles', () => {
    expect(actingAgent(root)).toBe(BASE_AGENT)
    expect(actingAgent(rootWithTenants)).toBe(BASE_AGENT)
  })

  test('is the tenant of a tenant token', () => {
    expect(actingAgent(tenant)).toBe('acme')
  })

  test('is forbidden for a tenant token without a tenant', () => {
    expect(() => actingAgent(principal({ role: 'RestTenantAgent' }))).toThrow(forbidden)
  })
})

describe('the tenant in a path', () => {
  test('may be named by its own token', () => {
    expect(namedTenant(tenant, 'acme')).toBe('acme')
  })

  test('may be any for a root token with tenants', () => {
    expect(namedTenant(rootWithTenants, 'other')).toBe('other')
  })

  test('may not be another for a tenant token', () => {
    expect(() => namedTenant(tenant, 'other')).toThrow(forbidden)
  })

  test('may not be named by a root token without tenants', () => {
    expect(() => namedTenant(root, 'acme')).toThrow(forbidden)
  })

  test('may not be named by a root token that carries a tenant id', () => {
    expect(() => namedTenant(principal({ tenantId: 'acme' }), 'acme')).toThrow(forbidden)
  })
})

describe('creating tenants', () => {
  test('is for a root token with tenants only', () => {
    expect(() => assertMayCreateTenants(rootWithTenants)).not.toThrow()
    expect(() => assertMayCreateTenants(rootWithTenants, 'acme')).not.toThrow()
    expect(() => assertMayCreateTenants(root)).toThrow(forbidden)
    expect(() => assertMayCreateTenants(tenant)).toThrow(forbidden)
  })
})

describe('a root token of an issuer that is limited', () => {
  const limited = (
    tenants: string[] | '*',
    organizations: string[] | '*',
    role: Principal['role'] = rootWithTenants.role,
  ) => principal({ role, grants: { tenants, organizations } })

  test('names the tenants of the list only', () => {
    expect(namedTenant(limited(['acme'], '*'), 'acme')).toBe('acme')
    expect(() => namedTenant(limited(['acme'], '*'), 'other')).toThrow(forbidden)
    expect(() => namedTenant(limited([], '*'), 'acme')).toThrow(forbidden)
    expect(() => namedTenant(limited('*', '*', 'RestRootAgent'), 'acme')).toThrow(forbidden)
  })

  test('makes no tenant where it is limited to some', () => {
    expect(() => assertMayCreateTenants(limited(['acme'], '*'))).toThrow(forbidden)
    expect(() => assertMayCreateTenants(limited([], '*'), 'acme')).toThrow(forbidden)
  })

  test('makes tenants for no organization beyond its list', () => {
    expect(() => assertMayCreateTenants(limited('*', ['acme']))).not.toThrow()
    expect(() => assertMayCreateTenants(limited('*', ['acme']), 'acme')).not.toThrow()
    expect(() => assertMayCreateTenants(limited('*', ['acme']), 'other')).toThrow(forbidden)
  })

  test('manages the organizations of the list only', () => {
    expect(() => assertManages(limited('*', ['acme', '__proto__']), 'acme')).not.toThrow()
    expect(() => assertManages(limited('*', ['acme', '__proto__']), '__proto__')).not.toThrow()
    expect(() => assertManages(limited('*', ['acme']), 'other')).toThrow(forbidden)
    expect(() => assertManages(limited(['acme'], []), 'acme')).toThrow(forbidden)
  })

  test("manages the base agent's only where that is on the list", () => {
    expect(() => assertManages(limited([], ['base'], 'RestRootAgent'), 'base')).not.toThrow()
    expect(() => assertManages(limited('*', ['acme'], 'RestRootAgent'), 'base')).toThrow(forbidden)
    expect(() => assertManages(limited('*', ['acme'], 'RestRootAgent'), 'acme')).toThrow(forbidden)
  })

  test('acts in the base agent, which is no tenant', () => {
    expect(actingAgent(limited([], []))).toBe(BASE_AGENT)
  })
})

describe('managing an organization', () => {
  const member = (...roles: string[]) => ({ ...tenant, organizations: { acme: roles } })

  test.each(['owner', 'admin'])('is for its %s', (role) => {
    expect(() => assertManages(member('member', role), 'acme')).not.toThrow()
  })

  test.each(['issuer', 'verifier', 'member', 'Owner', ''])('is not for role "%s"', (role) => {
    expect(() => assertManages(member(role), 'acme')).toThrow(forbidden)
  })

  test('is for root tokens with tenants, whatever organizations they name', () => {
    expect(() => assertManages(rootWithTenants, 'acme')).not.toThrow()
    expect(() => assertManages(rootWithTenants, 'base')).not.toThrow()
  })

  test("of the base agent is for root tokens without tenants, and a tenant's is not, whatever roles they have in it", () => {
    expect(() => assertManages(root, 'base')).not.toThrow()
    expect(() => assertManages(root, 'faculty', 'faculty')).not.toThrow()
    expect(() => assertManages({ ...root, organizations: { acme: ['owner'] } }, 'acme')).toThrow(forbidden)
    expect(() => assertManages(root, 'base', 'faculty')).toThrow(forbidden)
  })

  test('is done in the agent of who does it', () => {
    expect(managingAgent(member('owner'), 'acme')).toBe('acme')
    expect(managingAgent(rootWithTenants, 'acme')).toBe(BASE_AGENT)
    expect(() => managingAgent(member('member'), 'acme')).toThrow(forbidden)
  })

  test.each(['__proto__', 'constructor'])('is for the owner of one named %s', (orgId) => {
    const owner = { ...tenant, organizations: { [orgId]: ['owner'] } }
    expect(() => assertManages(owner, orgId)).not.toThrow()
    expect(() => assertManages(owner, 'toString')).toThrow(forbidden)
  })

  test('is not for the owner of another organization', () => {
    expect(() => assertManages(member('owner'), 'other')).toThrow(forbidden)
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'is not for somebody without roles in an organization named %s',
    (orgId) => {
      expect(() => assertManages(tenant, orgId)).toThrow(forbidden)
    },
  )

  test('gives no reason with its refusal', () => {
    expect(() => namedTenant(tenant, 'other')).toThrow(/^Forbidden$/)
  })
})

describe('the tenants of an organization', () => {
  const limited = (tenants: '*' | string[], organizations: '*' | string[]) =>
    principal({ role: 'RestRootAgentWithTenants', grants: { tenants, organizations } })

  test('may be listed by a root token with tenants, within the grants of its issuer', () => {
    expect(listableTenants(rootWithTenants, 'org')).toBe('*')
    expect(listableTenants(limited('*', ['org']), 'org')).toBe('*')
    expect(listableTenants(limited(['acme'], '*'), 'org')).toEqual(['acme'])
  })

  test.each([
    ['a root token without tenants', root],
    ['a tenant of the organization', principal({ ...tenant, organizations: { org: ['owner'] } })],
    ['an issuer for other organizations', limited('*', ['another'])],
  ])('may not be listed by %s', (_, caller) => {
    expect(() => listableTenants(caller, 'org')).toThrow(forbidden)
  })
})
