/** Who may do what, over HTTP: root tokens and organizations, deleted tenants, limited issuers, organizations of any name. */

import { randomUUID } from 'node:crypto'
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { toKey } from '../../lib/store/table.ts'
import { tenantAddress } from '../../lib/tenants/tenants.ts'
import { pathOf } from '../support/api/rejections.ts'
import { acme, api, base, expectError, globex, newOrganization, tokenIn, tokens, world } from '../support/api/scene.ts'
import { type Claims, sign } from '../support/api/tokens.ts'
import { CREDENTIALS, REGION } from '../support/table/dynamo.ts'

const ENDPOINT = randomUUID()
const url = 'https://hooks.example.org/agent'

/** Every operation on an organization; `endpoint` is an endpoint of the organization, or absent. */
const ON_ORGANIZATIONS: [
  name: string,
  method: string,
  path: (orgId: string, endpoint: string) => string,
  body: object | undefined,
][] = [
  ['register webhook', 'POST', (orgId) => `/webhooks/orgs/${orgId}/register`, { webhookUrl: url }],
  ['endpoints', 'GET', (orgId) => `/webhooks/orgs/${orgId}`, undefined],
  ['rotate', 'POST', (orgId, endpoint) => `/webhooks/orgs/${orgId}/${endpoint}/rotate-secret`, undefined],
  ['test', 'POST', (orgId, endpoint) => `/webhooks/orgs/${orgId}/${endpoint}/test`, undefined],
  ['enable', 'POST', (orgId, endpoint) => `/webhooks/orgs/${orgId}/${endpoint}/enable`, undefined],
  ['deliveries', 'GET', (orgId, endpoint) => `/webhooks/orgs/${orgId}/${endpoint}/deliveries`, undefined],
  [
    'replay',
    'POST',
    (orgId, endpoint) => `/webhooks/orgs/${orgId}/${endpoint}/replay`,
    { since: '2026-01-01T00:00:00Z' },
  ],
  ['delete', 'DELETE', (orgId, endpoint) => `/webhooks/orgs/${orgId}/${endpoint}`, undefined],
]

const register = (orgId: string, token: string | undefined) =>
  api.post(`/webhooks/orgs/${orgId}/register`, { token, body: { webhookUrl: url } })
const registerNotification = (orgId: string, token: string | undefined) =>
  api.post('/notification/register/webhook-endpoint', { token, body: { orgId, notificationWebhook: url } })

test("a root token without tenants manages the base agent's organization, and no other", async () => {
  for (const orgId of [globex.orgId, randomUUID()]) expectError(await registerNotification(orgId, tokens.root), 403)
  expect((await register(base.orgId, tokens.root)).status).toBe(201)
  expect((await registerNotification(base.orgId, tokens.root)).status).toBe(201)
})

describe('a tenant', () => {
  const dynamodb = new DynamoDBClient({ endpoint: world.dynamodbEndpoint, region: REGION, credentials: CREDENTIALS })

  test('that is deleted has no valid token left, on any operation', async () => {
    const { body: tenant } = await api.post('/multi-tenancy/create-tenant', {
      token: tokens.rootWithTenants,
      body: { config: { label: 'Short-lived' } },
    })
    // Each is one that the gateway has not seen.
    const token = () => tokenIn(tenant.orgId, ['owner'], tenant.id, { jti: randomUUID() })
    expect((await api.get('/connections', { token: await token() })).status).toBe(200)
    expect((await register(tenant.orgId, await token())).status).toBe(201)
    await dynamodb.send(new DeleteItemCommand({ TableName: world.tableName, Key: toKey(tenantAddress(tenant.id)) }))

    const asking = OPERATIONS.filter(({ security }) => security !== 'none')
    for (const contract of asking) {
      const path = pathOf(contract, { orgId: tenant.orgId, tenantId: tenant.id })
      const answer = await api.ask(contract.method, path, {
        token: await token(),
        ...(contract.body && { body: {} }),
      })
      expectError(answer, 401)
    }
    expect(asking.length).toBeGreaterThan(60)
  })

  describe('of an issuer that is limited', () => {
    const limited = (claims: Claims) => sign(world.issuers.limited, claims)
    const granted = { role: 'RestTenantAgent', tenantId: 'granted-tenant' }

    beforeAll(async () => {
      const item = {
        id: 'granted-tenant',
        label: 'Granted',
        orgId: 'granted-org',
        createdAt: '2026-01-01T00:00:00.000Z',
      }
      const attributes = Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }]))
      const Item = { ...toKey(tenantAddress(item.id)), kind: { S: 'tenant' }, ...attributes }
      await dynamodb.send(new PutItemCommand({ TableName: world.tableName, Item }))
    })

    test.each([
      ['another tenant', { ...granted, tenantId: acme.tenantId }],
      ['a tenant that does not exist', { ...granted, tenantId: randomUUID() }],
      ['a role that it has not', { role: 'RestRootAgent' }],
    ])('is forbidden everything as %s', async (_, claims) => {
      const token = await limited({ ...claims, resource_access: { 'granted-org': { roles: ['owner'] } } })
      expectError(await api.get('/connections', { token }), 403)
      expectError(await api.get(`/credentials/${acme.credentialRecordId}`, { token }), 403)
      expectError(await registerNotification('granted-org', token), 403)
      expectError(await register('granted-org', token), 403)
    })

    test('acts in a tenant of the list', async () => {
      expect((await api.get('/connections', { token: await limited(granted) })).body).toEqual([])
    })

    test('manages the organizations of the list, and no other ones', async () => {
      const roles = ['owner', 'admin']
      const resource_access = {
        'granted-org': { roles },
        [globex.orgId]: { roles },
        account: { roles },
        ['__proto__']: { roles },
      }
      const token = await limited({ ...granted, resource_access })
      for (const orgId of ['granted-org', '__proto__']) {
        expect((await register(orgId, token)).status).toBe(201)
        expect((await registerNotification(orgId, token)).status).toBe(201)
      }
      for (const orgId of [globex.orgId, 'account', base.orgId]) {
        expectError(await register(orgId, token), 403)
        expectError(await registerNotification(orgId, token), 403)
      }
    })

    test('as root with tenants names those of the list, makes none, and manages the organizations of the list', async () => {
      const token = await limited({ role: 'RestRootAgentWithTenants' })
      const formData = (tenantId = '') => api.get(`/multi-tenancy/form-data/${tenantId}/${ENDPOINT}`, { token })
      expect((await formData('granted-tenant')).status).toBe(404)
      expectError(await formData(acme.tenantId), 403)
      expectError(await formData(randomUUID()), 403)
      for (const orgId of [undefined, 'granted-org', globex.orgId]) {
        const body = { config: { label: 'more' }, orgId }
        expectError(await api.post('/multi-tenancy/create-tenant', { token, body }), 403)
      }
      expect((await register('granted-org', token)).status).toBe(201)
      for (const orgId of [globex.orgId, base.orgId]) {
        expectError(await register(orgId, token), 403)
        expectError(await registerNotification(orgId, token), 403)
        expectError(await api.get(`/webhooks/orgs/${orgId}`, { token }), 403)
      }
      expect((await api.get('/connections', { token })).status).toBe(200)
    })

    test('to organizations alone, as root with tenants creates tenants of these and of new ones, and of no other ones', async () => {
      const token = await sign(world.issuers.ofOrganizations, { role: 'RestRootAgentWithTenants' })
      const make = (orgId?: string) =>
        api.post('/multi-tenancy/create-tenant', { token, body: { config: { label: 'more' }, orgId } })
      for (const orgId of ['granted-org', undefined]) expect((await make(orgId)).status).toBe(201)
      expectError(await make(globex.orgId), 403)
    })
  })
})

describe.each(['constructor', '__proto__', 'prototype', 'toString'])('an organization named %s', (orgId) => {
  test('works like any other', async () => {
    const owner = await tokenIn(orgId, ['owner'])
    const member = await tokenIn(orgId, ['member'])
    await newOrganization(orgId)
    expect((await registerNotification(orgId, undefined)).body.data).toMatchObject({ orgId, status: 'pending' })
    const { body } = await register(orgId, owner)
    expect(body.data).toMatchObject({ orgId, status: 'active' })
    expect((await registerNotification(orgId, owner)).body.data).toMatchObject({ orgId, status: 'active' })
    const { body: listed } = await api.get(`/webhooks/orgs/${orgId}`, { token: owner })
    expect(listed).toMatchObject([
      { kind: 'notification', orgId },
      { kind: 'webhook', orgId, id: body.data.id },
    ])
    for (const [, method, path, asked] of ON_ORGANIZATIONS) {
      expectError(await api.ask(method, path(orgId, body.data.id), { token: member, body: asked }), 403)
      const { status } = await api.ask(method, path(orgId, body.data.id), { token: owner, body: asked })
      expect(status).toBeLessThan(300)
    }
  })

  test('gets no rights by its name', async () => {
    for (const token of [acme.token, acme.ownerToken, tokens.root]) {
      expectError(await register(orgId, token), 403)
      expectError(await registerNotification(orgId, token), 403)
    }
  })
})
