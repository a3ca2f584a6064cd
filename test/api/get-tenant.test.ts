/** GetTenant over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, globex, tokens, tokenWith, world } from '../support/api/scene.ts'
import { sign } from '../support/api/tokens.ts'

const pathOf = (tenantId = 'nothing') => `/multi-tenancy/${tenantId}`
const token = tokens.rootWithTenants

test('shows a tenant as its creation does, to a root token with tenants and to the tenant itself', async () => {
  const config = { label: 'Initech', connectionImageUrl: 'https://initech.example/logo.png', autoAcceptOffers: true }
  const { body: created } = await api.post('/multi-tenancy/create-tenant', {
    token,
    body: { config, orgId: 'initech' },
  })
  const path = pathOf(created.id)
  const answer = await api.get(path, { token })
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
  const own = await tokenWith({ role: 'RestTenantAgent', tenantId: created.id })
  expect((await api.get(path, { token: own })).body).toEqual(created)
  await expectExample(answer)
})

test('a tenant that does not exist is a 404', async () => {
  for (const id of [randomUUID(), '__proto__', acme.orgId.toUpperCase()])
    expectError(await api.get(pathOf(id), { token }), 404, { message: 'there is no such tenant' })
})

describe('is forbidden, existing or not, for', () => {
  test.each([
    ['a root token without tenants', async () => tokens.root],
    ['another tenant', async () => acme.token],
    ['the owner of an organization', async () => acme.ownerToken],
    [
      'a root token of an issuer for other tenants',
      () => sign(world.issuers.limited, { role: 'RestRootAgentWithTenants' }),
    ],
  ])('%s', async (_, tokenOf) => {
    for (const id of [globex.tenantId, randomUUID()])
      expectError(await api.get(pathOf(id), { token: await tokenOf() }), 403)
  })
})

test('may be read by a root token of an issuer for it', async () => {
  const ofIssuer = await sign(world.issuers.limited, { role: 'RestRootAgentWithTenants' })
  // Another file may have created it.
  expect([200, 404]).toContain((await api.get(pathOf('granted-tenant'), { token: ofIssuer })).status)
})
