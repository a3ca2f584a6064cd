/** What a deployment's settings have to be before anything is made. */
import { describe, expect, test } from 'vitest'
import { problemOf } from '../../../infra/plugins/deploy-settings.ts'

describe('a deployment', () => {
  const issuers = (...list: unknown[]) => ({ TOKEN_ISSUERS: JSON.stringify(list) })
  const issuer = { issuer: 'https://id.example.org', audience: 'agent', jwksUri: 'https://id.example.org/jwks' }

  test('starts with issuers that can be read', () => {
    expect(problemOf(issuers(issuer))).toBeUndefined()
    expect(
      problemOf({ ...issuers(issuer), PUBLIC_URL: 'https://agent.example.org', LOG_LEVEL: 'debug' }),
    ).toBeUndefined()
  })

  test.each([{}, { TOKEN_ISSUERS: '' }])('says what is missing, with an example that would do: %j', (environment) => {
    const problem = problemOf(environment)
    expect(problem).toMatch(/^TOKEN_ISSUERS is not set; for example \[.+\]$/)
    expect(problemOf({ TOKEN_ISSUERS: problem?.replace(/^.*for example /, '') })).toBeUndefined()
  })

  test.each([
    [issuers(), /^TOKEN_ISSUERS is empty/],
    [{ TOKEN_ISSUERS: 'https://id.example.org' }, /^TOKEN_ISSUERS: is not JSON$/],
    [issuers({ ...issuer, jwksUri: 'id' }), /^TOKEN_ISSUERS\.0\.jwksUri: .+$/],
    [{ ...issuers(issuer), LOG_LEVEL: 'loud' }, /^LOG_LEVEL: .+$/],
    [{ ...issuers(issuer), PUBLIC_URL: 'agent.example.org' }, /^PUBLIC_URL: .+$/],
    [{ ...issuers(issuer), BASE_ORG_ID: 'a/b' }, /^BASE_ORG_ID: .+$/],
    [{ ...issuers(issuer), OPERATION_RATE: 'fast' }, /^OPERATION_RATE: is not a whole number of requests a second$/],
    [{ ...issuers(issuer), TENANT_RATE: '0' }, /^TENANT_RATE: is not a whole number of requests a second$/],
  ])('names the setting that is wrong: %j', (environment, problem) => {
    expect(problemOf(environment)).toMatch(problem)
  })
})
