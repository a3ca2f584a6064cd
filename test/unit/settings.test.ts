/** The settings of a function. */
import { expect, test } from 'vitest'
import { readSettings } from '../../lib/settings.ts'

const read = (environment: Record<string, string>) =>
  readSettings({ TABLE_NAME: 'agent', PUBLIC_URL: 'https://agent.example.org', ...environment })

test('the address of a proxy may end with a slash, which its routes begin with', () => {
  const INDY_PROXIES = '{"sovrin":"https://indy.example.org/","sovrin:staging":"https://indy.example.org/staging"}'
  expect(read({ INDY_PROXIES }).INDY_PROXIES).toEqual({
    sovrin: 'https://indy.example.org',
    'sovrin:staging': 'https://indy.example.org/staging',
  })
})

test.each([
  [{ TABLE_NAME: '' }, /^TABLE_NAME: /],
  [{ PUBLIC_URL: 'https://agent.example.org/' }, /^PUBLIC_URL: ends with a slash$/],
  [{ SEALING_KEY: 'A'.repeat(42) }, /^SEALING_KEY: is not 32 bytes in base64url$/],
  [{ SEALING_KEY: 'A'.repeat(44) }, /^SEALING_KEY: is not 32 bytes in base64url$/],
  [{ TENANT_RATE: '-1' }, /^TENANT_RATE: /],
  [{ WAITING_LANES: '1.5' }, /^WAITING_LANES: /],
  [{ TOKEN_ISSUERS: '[' }, /^TOKEN_ISSUERS: is not JSON$/],
  [{ TRUSTED_CONTEXTS: '{}' }, /^TRUSTED_CONTEXTS: /],
  [{ LOCAL_STAGE: 'yes' }, /^LOCAL_STAGE: /],
])('an invalid one is named: %j', (environment, problem) => {
  expect(() => read(environment)).toThrow(problem)
})

test('by default nothing is accepted automatically, and no internal address is reached', () => {
  expect(read({})).toMatchObject({
    AUTO_ACCEPT_OFFERS: false,
    AUTO_ACCEPT_PROOF_REQUESTS: false,
    LOCAL_STAGE: false,
    TRACING: 'off',
    TENANT_RATE: 0,
  })
})
