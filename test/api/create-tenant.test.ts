import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, expectInvalid, tokens, tokenWith } from '../support/api/scene.ts'
import { requestBody } from '../support/scenes.ts'

const path = '/multi-tenancy/create-tenant'
const token = tokens.rootWithTenants
const route = { method: 'POST', path, body: { config: { label: 'Initech' } } } as const

test('creates a tenant, whose token works immediately', async () => {
  const config = { label: 'Initech', connectionImageUrl: 'https://initech.example/logo.png' }
  const answer = await api.post(path, { token, body: { config, orgId: 'initech' } })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    config,
    orgId: 'initech',
  })
  const tenantToken = await tokenWith({ role: 'RestTenantAgent', tenantId: answer.body.id })
  expect((await api.get('/connections', { token: tenantToken })).body).toEqual([])
  const { body: request } = await api.post('/proofs/create-request-oob', { token: tenantToken, body: requestBody })
  expect(request.invitation).toMatchObject({ label: 'Initech', imageUrl: config.connectionImageUrl })
  await expectExample(answer)
})

test('its organization is its own unless said', async () => {
  const { body } = await api.post(path, { token, body: route.body })
  expect(body.orgId).toBe(body.id)
  const other = await api.post(path, { token, body: route.body })
  expect(other.body.id).not.toBe(body.id)
})

describe('only a root token with tenants may: else 403', () => {
  test.each([
    ['a root token without tenants', tokens.root],
    ['a tenant', acme.token],
    ['the owner of an organization', acme.ownerToken],
  ])('%s', async (_, as) => {
    expectError(await api.post(path, { token: as, body: route.body }), 403)
  })
})

describe('names every field that is wrong', () => {
  test.each<[object, string[]]>([
    [{}, ['config']],
    [{ config: 'Initech' }, ['config']],
    [{ config: {} }, ['config.label']],
    [{ config: { label: '' } }, ['config.label']],
    [{ config: { label: 'x'.repeat(256) } }, ['config.label']],
    [{ config: { label: 'x', connectionImageUrl: 'data:image/png,x' } }, ['config.connectionImageUrl']],
    [{ config: { label: 'x', connectionImageUrl: 'https:// example.org/' } }, ['config.connectionImageUrl']],
    [{ config: { label: 'x', more: 1 }, id: 'mine', tenantId: 'mine' }, ['config.more', 'id', 'tenantId']],
    [
      { config: { label: 'x', autoAcceptOffers: 'yes', autoAcceptProofRequests: 1 } },
      ['config.autoAcceptOffers', 'config.autoAcceptProofRequests'],
    ],
    [{ config: { label: 'x' }, orgId: '@base' }, ['orgId']],
    [{ config: { label: 'x' }, orgId: 'a|b' }, ['orgId']],
    [{ config: { label: 'x' }, orgId: 'a b' }, ['orgId']],
  ])('%j', async (body, fields) => {
    expectInvalid(await api.post(path, { token, body }), fields)
  })
})
