import { describe, expect, test } from 'vitest'
import { actingAgent, assertManages, assertMayCreateTenants, namedTenant } from '../../../lib/auth/access.ts'
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

  test('is nobody for a tenant token without a tenant', () => {
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
    expect(() => assertMayCreateTenants(root)).toThrow(forbidden)
    expect(() => assertMayCreateTenants(tenant)).toThrow(forbidden)
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

  test('is for root tokens, whatever organizations they name', () => {
    expect(() => assertManages(root, 'acme')).not.toThrow()
    expect(() => assertManages(rootWithTenants, 'acme')).not.toThrow()
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
