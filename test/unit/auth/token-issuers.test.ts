/** TOKEN_ISSUERS: what an entry grants, and which entries are rejected, in one line. */
import { describe, expect, test } from 'vitest'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'
import { tokenIssuers } from '../../../lib/auth/token-issuers.ts'
import { readSettings } from '../../../lib/settings.ts'

const ONE = { issuer: 'https://one.example', audience: 'agent' }
const OTHER = { issuer: 'https://other.example', audience: 'agent' }
const SOME = { roles: ['RestTenantAgent'], tenants: ['acme'], organizations: '*' }

const read = (...issuers: unknown[]) =>
  tokenIssuers(
    readSettings({ TABLE_NAME: 't', PUBLIC_URL: 'https://a.example', TOKEN_ISSUERS: JSON.stringify(issuers) }),
  )

test('a single issuer has all grants', () => {
  expect(read(ONE)).toEqual([{ ...ONE, grants: ALL_GRANTS }])
})

test('a single issuer may be granted less', () => {
  expect(read({ ...ONE, grants: SOME })).toEqual([{ ...ONE, grants: SOME }])
})

test('each of several has what its entry grants', () => {
  const issuers = [
    { ...ONE, grants: SOME },
    { ...OTHER, grants: { roles: [], tenants: '*', organizations: ['a', '__proto__'] } },
  ]
  expect(read(...issuers)).toEqual(issuers)
})

test('one issuer may have several audiences', () => {
  expect(read({ ...ONE, grants: SOME }, { ...ONE, audience: 'other', grants: SOME })).toHaveLength(2)
})

describe('is rejected in one line', () => {
  test.each<[string, unknown[], RegExp]>([
    [
      'one of several without grants',
      [{ ...ONE, grants: SOME }, OTHER],
      /^TOKEN_ISSUERS: https:\/\/other\.example has no grants; with several issuers each needs them$/,
    ],
    [
      'an issuer and audience that come twice',
      [
        { ...ONE, grants: SOME },
        { ...OTHER, grants: SOME },
        { ...ONE, grants: { ...SOME, tenants: '*' } },
      ],
      /^TOKEN_ISSUERS: https:\/\/one\.example has two entries for one audience$/,
    ],
    ['one without a name', [{ ...ONE, issuer: '' }], /^TOKEN_ISSUERS\.0\.issuer: .+$/],
    ['one without an audience', [{ ...ONE, audience: '' }], /^TOKEN_ISSUERS\.0\.audience: .+$/],
    ['an unknown role', [{ ...ONE, grants: { ...SOME, roles: ['root'] } }], /^TOKEN_ISSUERS\.0\.grants\.roles\.0: .+$/],
    [
      'grants that leave something open',
      [{ ...ONE, grants: { roles: [], tenants: [] } }],
      /^TOKEN_ISSUERS\.0\.grants\.organizations: .+$/,
    ],
    [
      'a tenant that is no id',
      [{ ...ONE, grants: { ...SOME, tenants: ['a b'] } }],
      /^TOKEN_ISSUERS\.0\.grants\.tenants: is neither "\*" nor a list of ids$/,
    ],
    [
      'a tenant that is no list',
      [{ ...ONE, grants: { ...SOME, tenants: 'acme' } }],
      /^TOKEN_ISSUERS\.0\.grants\.tenants: .+$/,
    ],
  ])('%s', (_, issuers, line) => {
    expect(() => read(...issuers)).toThrow(line)
    expect(() => read(...issuers)).not.toThrow('\n')
  })
})
