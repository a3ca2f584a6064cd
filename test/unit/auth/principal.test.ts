import { describe, expect, test } from 'vitest'
import { ALL_GRANTS, type Grants } from '../../../lib/auth/grants.ts'
import {
  type Principal,
  principalFromClaims,
  principalFromContext,
  toAuthorizerContext,
} from '../../../lib/auth/principal.ts'

const NOW = 1_800_000_000
const claims = { exp: NOW + 60, role: 'RestTenantAgent', tenantId: 'acme', sub: 'alice' }
const unauthorized = expect.objectContaining({ code: 'auth.unauthorized' })
const forbidden = expect.objectContaining({ code: 'auth.forbidden' })

/** Names that all objects inherit: valid ids of organizations. */
const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

/** Makes a principal of claims of an issuer without limits. */
const principalOf = (given: object, grants: Partial<Grants> = {}): Principal =>
  principalFromClaims({ ...claims, ...given }, NOW, { ...ALL_GRANTS, ...grants })

describe('claims become a principal', () => {
  test('with role, tenant, subject, expiry and the roles in each organization', () => {
    const resource_access = { acme: { roles: ['owner'] }, account: { roles: ['view-profile'], other: 1 }, empty: {} }
    expect(principalOf({ resource_access })).toEqual({
      role: 'RestTenantAgent',
      tenantId: 'acme',
      organizations: { acme: ['owner'], account: ['view-profile'], empty: [] },
      subject: 'alice',
      expiresAt: NOW + 60,
    })
  })

  test('whose subject is the role where the token names none', () => {
    for (const sub of [undefined, '']) expect(principalOf({ role: 'RestRootAgent', sub }).subject).toBe('RestRootAgent')
  })

  test('without a tenant for root roles, even where the token names one', () => {
    expect(principalOf({ role: 'RestRootAgent' })).not.toHaveProperty('tenantId')
  })

  test('with a role of any length, which may be nothing to this service', () => {
    const roles = ['x'.repeat(1000), 'owner']
    expect(principalOf({ resource_access: { acme: { roles } } }).organizations).toEqual({ acme: roles })
  })

  test('without organizations whose name is not an id', () => {
    const resource_access = { 'a b': { roles: ['owner'] }, ['x'.repeat(65)]: { roles: ['owner'] } }
    expect(principalOf({ resource_access }).organizations).toEqual({})
  })

  test.each([
    ['an unknown role', { role: 'Root' }],
    ['no role', { role: undefined }],
    ['a role that is a list', { role: ['RestRootAgent'] }],
    ['no tenant with the tenant role', { tenantId: undefined }],
    ['a tenant that is not an id', { tenantId: 'a/b' }],
    ['the base agent as tenant', { tenantId: '@base' }],
    ['a tenant that is not a string', { tenantId: 7 }],
    ['roles that are not strings', { resource_access: { acme: { roles: [1] } } }],
    ['access that is not an object', { resource_access: 'all' }],
    ['an expiry that is not a number', { exp: 'later' }],
    ['no expiry', { exp: undefined }],
    ['an expiry beyond the tolerance', { exp: NOW - 30 }],
    ['an issue time beyond the tolerance', { iat: NOW + 31 }],
    ['an issue time that is not a number', { iat: 'now' }],
    ['a subject that is not a string', { sub: {} }],
    ['a subject of more than 256 characters', { sub: 'x'.repeat(257) }],
  ])('not with %s', (_, changed) => {
    expect(() => principalOf(changed)).toThrow(unauthorized)
  })

  test.each([
    ['an expiry within the tolerance', { exp: NOW - 29 }],
    ['an issue time within the tolerance', { iat: NOW + 30 }],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
  ])('with %s', (_, changed) => {
    expect(() => principalOf(changed)).not.toThrow()
  })
})

describe('an organization may be named', () => {
  test.each(PROTOTYPE_NAMES)('%s', (orgId) => {
    const resource_access = { [orgId]: { roles: ['owner'] }, acme: { roles: ['member'] } }
    const principal = principalOf({ resource_access })
    expect(Object.entries(principal.organizations)).toEqual([
      [orgId, ['owner']],
      ['acme', ['member']],
    ])
    expect(Object.getPrototypeOf(principal.organizations)).toBe(Object.prototype)
    expect(principalFromContext(toAuthorizerContext(principal), NOW)).toEqual(principal)
    expect(Object.entries(principalFromContext(toAuthorizerContext(principal), NOW).organizations)).toHaveLength(2)
  })
})

describe('what an issuer may say ends at its grants', () => {
  test.each([
    ['a role', { roles: ['RestTenantAgent'] }, { role: 'RestRootAgent' }],
    ['a root role, though it names a tenant', { roles: ['RestTenantAgent'] }, { role: 'RestRootAgentWithTenants' }],
    ['the tenant role', { roles: ['RestRootAgent'] }, {}],
    ['a tenant', { tenants: ['globex'] }, {}],
    ['any tenant', { tenants: [] }, {}],
    ['any role', { roles: [] }, {}],
  ] satisfies [string, Partial<Grants>, object][])('at %s', (_, grants, changed) => {
    expect(() => principalOf(changed, grants)).toThrow(forbidden)
  })

  test('and a token that is not valid is no case for them', () => {
    expect(() => principalOf({ exp: NOW - 60 }, { roles: [] })).toThrow(unauthorized)
  })

  test('a tenant that it may name is as any other', () => {
    expect(principalOf({}, { roles: ['RestTenantAgent'], tenants: ['acme'] })).toEqual(principalOf({}))
  })

  test.each(['RestTenantAgent', 'RestRootAgent', 'RestRootAgentWithTenants'])(
    'organizations beyond them are ignored, as if a token of %s did not name them',
    (role) => {
      const resource_access = { acme: { roles: ['owner'] }, account: { roles: ['owner'] } }
      const { organizations } = principalOf({ role, resource_access }, { organizations: ['acme', 'other'] })
      expect(organizations).toEqual({ acme: ['owner'] })
    },
  )

  test.each(['RestRootAgent', 'RestRootAgentWithTenants'])('%s carries its limits to the operation', (role) => {
    const limits = { tenants: ['acme'], organizations: ['acme', '__proto__'] }
    const principal = principalOf({ role }, limits)
    expect(principal.grants).toEqual(limits)
    expect(principalFromContext(toAuthorizerContext(principal), NOW)).toEqual(principal)
    expect(principalOf({ role }, { organizations: [] }).grants).toEqual({ tenants: '*', organizations: [] })
    expect(principalOf({ role }, { tenants: [] }).grants).toEqual({ tenants: [], organizations: '*' })
    expect(principalOf({ role })).not.toHaveProperty('grants')
  })
})

describe("the authorizer's context", () => {
  const principal: Principal = {
    role: 'RestTenantAgent',
    tenantId: 'acme',
    organizations: { acme: ['owner'] },
    subject: 'alice',
    expiresAt: NOW + 60,
  }
  const changed = (change: object) => ({ principal: JSON.stringify({ ...principal, ...change }) })

  test('holds strings only, as the gateway demands', () => {
    for (const value of Object.values(toAuthorizerContext(principal))) expect(value).toBeTypeOf('string')
  })

  test('brings the principal back', () => {
    const context = { principalId: 'alice', integrationLatency: 7, ...toAuthorizerContext(principal) }
    expect(principalFromContext(context, NOW)).toEqual(principal)
  })

  test('brings a root principal back, without a tenant', () => {
    const root: Principal = { role: 'RestRootAgent', organizations: {}, subject: 's', expiresAt: NOW + 1 }
    expect(principalFromContext(toAuthorizerContext(root), NOW)).toEqual(root)
  })

  test('brings each of two principals back, also the second time', () => {
    const other: Principal = { ...principal, tenantId: 'umbrella' }
    for (const one of [principal, other, principal, other])
      expect(principalFromContext(toAuthorizerContext(one), NOW)).toEqual(one)
  })

  test('is rejected after the token has expired, with the tolerance', () => {
    const context = toAuthorizerContext(principal)
    for (const now of [NOW, NOW + 89]) expect(principalFromContext(context, now)).toEqual(principal)
    expect(() => principalFromContext(context, NOW + 90)).toThrow(unauthorized)
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['no principal', { principalId: 'alice' }],
    ['a principal that is no text', { principal }],
    ['a principal that is not JSON', { principal: '{' }],
    ['no role', changed({ role: undefined })],
    ['a cached allow that outlived its token', changed({ expiresAt: NOW - 31 })],
    ['an expiry that is no number', changed({ expiresAt: 'x' })],
    ['organizations that are no lists', changed({ organizations: { acme: 'owner' } })],
    ['the tenant role without a tenant', changed({ tenantId: undefined })],
    ['a root role with a tenant', changed({ role: 'RestRootAgent' })],
    ['grants that are no lists', changed({ grants: { tenants: 'acme', organizations: '*' } })],
    ['half of the grants', changed({ grants: { tenants: '*' } })],
  ])('is rejected if it is %s', (_, broken) => {
    expect(() => principalFromContext(broken, NOW)).toThrow(unauthorized)
  })
})
