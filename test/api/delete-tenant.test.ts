/** DeleteTenant over HTTP, as CREDEBL calls it. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { acme, api, expectError, globex, tokens, tokenWith, world } from '../support/api/scene.ts'
import { sign } from '../support/api/tokens.ts'

const token = tokens.rootWithTenants
const pathOf = (tenantId: string) => `/multi-tenancy/${tenantId}`
const created = async (): Promise<string> =>
  (await api.post('/multi-tenancy/create-tenant', { token, body: { config: { label: 'Leaving' } } })).body.id

const UNKNOWN = { message: 'there is no such tenant' }

test('removes a tenant with a 204, and from then on its tokens, paths and pages are rejected', async () => {
  const id = await created()
  const own = await tokenWith({ role: 'RestTenantAgent', tenantId: id })
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await api.delete(pathOf(id), { token, headers })
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' })
  expectError(await api.get('/connections', { token: own }), 401)
  expectError(await api.get(pathOf(id), { token }), 404, UNKNOWN)
  for (const more of [{}, { headers }]) expectError(await api.delete(pathOf(id), { token, ...more }), 404, UNKNOWN)
  expect((await api.get(`/web/${id}/did.json`)).status).toBe(404)
})

test('an unknown tenant is a 404, and the base agent, other characters and unknown choices are a 400', async () => {
  expectError(await api.delete(pathOf(randomUUID()), { token }), 404, UNKNOWN)
  const id = await created()
  for (const path of ['%40base', 'a%7Cb', '*', '%40tenant', `${id}?silent=yes`, `${id}?keep=all`])
    expect((await api.delete(pathOf(path), { token })).status).toBe(400)
  expect((await api.get(pathOf(id), { token })).status).toBe(200)
})

describe('is forbidden, existing or not, for', () => {
  test.each([
    ['a root token without tenants', async () => tokens.root],
    ['the tenant itself', async () => globex.token],
    ['another tenant', async () => acme.token],
    ['the owner of its organization', async () => acme.ownerToken],
    ['an issuer for other tenants', () => sign(world.issuers.limited, { role: 'RestRootAgentWithTenants' })],
  ])('%s', async (_, tokenOf) => {
    for (const id of [String(globex.tenantId), randomUUID(), String(acme.tenantId)])
      expectError(await api.delete(pathOf(id), { token: await tokenOf() }), 403)
    expect((await api.get(pathOf(String(globex.tenantId)), { token })).status).toBe(200)
  })
})
