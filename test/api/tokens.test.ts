/** Tokens over HTTP: which are taken, in which ways, and for how long. What is refused is tested with every operation. */
import { describe, expect, test } from 'vitest'
import { acme, api, expectError, globex, tokens, tokenWith, world } from '../support/api/scene.ts'
import { epochSeconds, sign } from '../support/api/tokens.ts'
import { waitFor } from '../wallet/wait.ts'

const path = '/connections'
const statusWith = async (authorization: string) => (await api.get(path, { headers: { authorization } })).status

describe('a token is taken', () => {
  test.each(['eddsa', 'remote'] as const)('of an issuer with keys that are %s', async (name) => {
    expect(await statusWith(`Bearer ${await sign(world.issuers[name])}`)).toBe(200)
  })

  test('of the local stage itself, as it is printed', async () => {
    expect(await statusWith(`Bearer ${world.printedToken}`)).toBe(200)
  })

  test('bare, as the clients of credo-controller send it', async () => {
    expect(await statusWith(tokens.root)).toBe(200)
  })

  test.each([
    ['an expiry with a fraction', { exp: epochSeconds() + 60.5 }],
    ['claims that nobody knows', { scope: 'openid', azp: 'x', realm_access: { roles: ['owner'] } }],
  ])('with %s', async (_, claims) => {
    expect(await statusWith(`Bearer ${await tokenWith(claims)}`)).toBe(200)
  })
})

describe('the claims decide, and nothing else', () => {
  test('a tenant token with the roles of Keycloak is no root', async () => {
    const roles = { realm_access: { roles: ['RestRootAgent'] }, resource_access: { realm: { roles: ['admin'] } } }
    const token = await tokenWith({ role: 'RestTenantAgent', tenantId: acme.tenantId, ...roles })
    const foreign = `/multi-tenancy/form-data/${globex.tenantId}/${globex.proofRecordId}`
    expectError(await api.get(foreign, { token }), 403)
  })

  test.each(['x-tenant-id', 'x-role', 'x-amzn-oidc-data', 'x-forwarded-user', 'cookie'])(
    'a header %s says nothing of the caller',
    async (name) => {
      const headers = { [name]: `tenantId=${globex.tenantId}; role=RestRootAgentWithTenants` }
      const { status } = await api.get(`/connections/${globex.connectionId}`, { token: acme.token, headers })
      expect(status).toBe(404)
      expectError(await api.get(path, { headers }), 401)
    },
  )

  test('neither does a token in the query', async () => {
    for (const name of ['access_token', 'token', 'authorization'])
      expectError(await api.get(`${path}?${name}=${tokens.root}`), 401)
  })
})

test('a token that was let in once is refused when it has expired', async () => {
  // With the tolerance of 30 s it is good for two more seconds: the gateway keeps its answer for longer.
  const authorization = `Bearer ${await tokenWith({ exp: epochSeconds() - 28 })}`
  expect(await statusWith(authorization)).toBe(200)
  const refused = await waitFor('the token to be refused', async () => {
    const answer = await api.get(path, { headers: { authorization } })
    return answer.status !== 200 && answer
  })
  expectError(refused, 401)
})
