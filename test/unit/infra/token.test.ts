/** The command line of `npm run token`. */
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../../../infra/local/token.ts'

test('without arguments it is a root’s with tenants, for an hour', () => {
  expect(claimsOf([])).toEqual({ role: 'RestRootAgentWithTenants', organizations: {}, expires: '1h' })
})

test('with all of them', () => {
  const args = '--role RestTenantAgent --tenant acme --org acme:owner --subject alice --expires 90s'.split(' ')
  expect(claimsOf(args)).toEqual({
    role: 'RestTenantAgent',
    tenantId: 'acme',
    organizations: { acme: ['owner'] },
    subject: 'alice',
    expires: '90s',
  })
})

test('--org comes as often as there are organizations and roles; an id may hold colons', () => {
  const { organizations } = claimsOf(['--org', 'a:owner', '--org', 'did:web:b:admin', '--org=a:verifier'])
  expect(organizations).toEqual({ a: ['owner', 'verifier'], 'did:web:b': ['admin'] })
})

test.each(['RestRootAgent', 'RestRootAgentWithTenants'])('%s needs no tenant', (role) => {
  expect(claimsOf(['--role', role])).toMatchObject({ role, tenantId: undefined })
})

describe('it reports invalid arguments in one line', () => {
  test.each([
    [['--role', 'Root'], '--role is one of RestRootAgent, RestRootAgentWithTenants, RestTenantAgent'],
    [['--role', 'RestTenantAgent'], '--tenant is needed with --role RestTenantAgent, and with that role only'],
    [['--tenant', 'acme'], '--tenant is needed with --role RestTenantAgent, and with that role only'],
    [['--role', 'RestTenantAgent', '--tenant', '@base'], '--tenant is 1 to 64 characters of A-Z a-z 0-9 . _ : -'],
    [['--org', 'acme'], '--org is <organization>:<role>'],
    [['--org', 'acme:'], '--org is <organization>:<role>'],
    [['--org', ':owner'], '--org is <organization>:<role>'],
    [['--org', 'a/b:owner'], '--org is <organization>:<role>'],
    [['--expires', 'soon'], '--expires is a time such as 90s, 15m, 12h or 7d'],
    [['--expires', '0h'], '--expires is a time such as 90s, 15m, 12h or 7d'],
    [['--expires=-1h'], '--expires is a time such as 90s, 15m, 12h or 7d'],
  ])('%j', (args, message) => {
    expect(() => claimsOf(args)).toThrow(message)
  })

  test.each([[['--rol', 'RestRootAgent']], [['RestRootAgent']], [['--tenant']]])('%j', (args) => {
    expect(() => claimsOf(args)).toThrow()
  })
})
