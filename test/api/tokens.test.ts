/** Tokens over HTTP: which are accepted, in which ways, and for how long. Rejected tokens are tested with every operation. */
import { describe, expect, test } from 'vitest'
import { acme, api, expectError, globex, tokens, tokenWith, world } from '../support/api/scene.ts'
import { epochSeconds, sign } from '../support/api/tokens.ts'
import { waitFor } from '../wallet/wait.ts'

const path = '/connections'
const statusWith = async (authorization: string) => (await api.get(path, { headers: { authorization } })).status

test.each([
  ['bare, as the clients of credo-controller send it', () => tokens.root],
  ['with a scheme in small letters', () => `bearer ${tokens.root}`],
  ["signed with a key of the issuer's key set at its address", () => sign(world.issuers.remote)],
  ['of the local stage itself, as printed', () => world.printedToken],
])('a token is accepted %s', async (_, authorization) => {
  expect(await statusWith(await authorization())).toBe(200)
})

test('with a key set that is out of reach it is our failure, not the token’s', async () => {
  const token = await sign(world.issuers.unreachable, { role: 'RestRootAgent' })
  expect(await statusWith(`Bearer ${token}`)).toBeGreaterThanOrEqual(500)
})

describe('the claims decide, and nothing else', () => {
  test('a tenant token with the roles of Keycloak is not a root token', async () => {
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

test('a token that was accepted once is rejected after it has expired', async () => {
  // With the tolerance of 30 s it is good for two more seconds: the gateway keeps its answer for longer.
  const authorization = `Bearer ${await tokenWith({ exp: epochSeconds() - 28 })}`
  expect(await statusWith(authorization)).toBe(200)
  const refused = await waitFor('the token to be rejected', async () => {
    const answer = await api.get(path, { headers: { authorization } })
    return answer.status !== 200 && answer
  })
  expectError(refused, 401)
})
