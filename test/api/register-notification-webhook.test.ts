/** RegisterNotificationWebhook over HTTP: what a caller without a token, with one, and with the wrong one may do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { NO_TOKEN } from '../support/api/bad-tokens.ts'
import { expectExample } from '../support/api/example.ts'
import { expectRegistered } from '../support/api/registration.ts'
import { api, expectError, expectInvalid, newOrganization, tokenIn, tokens, world } from '../support/api/scene.ts'
import { ENDPOINTS, NO_ENDPOINTS } from '../support/api/urls.ts'

const path = '/notification/register/webhook-endpoint'
const url = 'https://hooks.example.org/notifications'
const route = { method: 'POST', path, body: { orgId: 'strangers', notificationWebhook: url } } as const

const register = (orgId: string, token?: string, notificationWebhook = url) =>
  api.post(path, { token, body: { orgId, notificationWebhook } })

describe('with a token of somebody who manages the organization', () => {
  test('the registration is active and shows its secret', async () => {
    const orgId = `org-${randomUUID()}`
    const answer = await register(orgId, await tokenIn(orgId, ['owner']))
    expectRegistered(answer, orgId, { notificationWebhook: url })
    await expectExample(answer)
  })

  test.each([
    ['an owner', (orgId: string) => tokenIn(orgId, ['owner'])],
    ['an admin', (orgId: string) => tokenIn(orgId, ['admin'])],
    ['an admin with other roles', (orgId: string) => tokenIn(orgId, ['member', 'admin', 'issuer'])],
    ['a root token with tenants', async () => tokens.rootWithTenants],
  ])('%s', async (_, tokenFor) => {
    const orgId = randomUUID()
    const { status, body } = await register(orgId, await tokenFor(orgId))
    expect({ status, registered: body.data?.status }).toEqual({ status: 201, registered: 'active' })
  })

  test('the secret is shown once: the same URL again has the same id and no secret', async () => {
    const orgId = randomUUID()
    const token = await tokenIn(orgId, ['owner'])
    const first = await register(orgId, token)
    const again = await register(orgId, token)
    expect(again.body.data).toMatchObject({ id: first.body.data.id, createdAt: first.body.data.createdAt })
    expect(again.body.data).not.toHaveProperty('secret')
  })

  test('another URL replaces it and has another secret', async () => {
    const orgId = randomUUID()
    const token = await tokenIn(orgId, ['owner'])
    const first = await register(orgId, token)
    const other = await register(orgId, token, 'https://hooks.example.org/other')
    expect(other.body.data.id).not.toBe(first.body.data.id)
    expect(other.body.data.secret).not.toBe(first.body.data.secret)
    const back = await register(orgId, token)
    expect(back.body.data.secret).toMatch(/^whsec_/)
    expect(back.body.data.secret).not.toBe(first.body.data.secret)
  })

  test('it is apart from the webhook of the same organization', async () => {
    const orgId = randomUUID()
    const token = await tokenIn(orgId, ['owner'])
    const first = await register(orgId, token)
    const webhook = await api.post(`/webhooks/orgs/${orgId}/register`, { token, body: { webhookUrl: url } })
    expect(webhook.body.data.secret).not.toBe(first.body.data.secret)
    expect((await register(orgId, token)).body.data.id).toBe(first.body.data.id)
  })
})

describe('without a token', () => {
  test.each(Object.entries(NO_TOKEN))('the registration is pending and shows no secret: %s', async (_, makeHeader) => {
    const orgId = randomUUID()
    const authorization = await makeHeader(world)
    const headers = authorization === undefined ? {} : { authorization }
    const { status, body } = await api.post(path, { headers, body: { orgId, notificationWebhook: url } })
    expect(status).toBe(201)
    expect(body).toMatchObject({ success: true, data: { orgId, notificationWebhook: url, status: 'pending' } })
    expect(body.message).toMatch(/pending/)
    expect(body.data).not.toHaveProperty('secret')
  })

  test('the same request with a valid token makes it active', async () => {
    const orgId = await newOrganization()
    const pending = await register(orgId)
    const active = await register(orgId, await tokenIn(orgId, ['admin']))
    expect(active.body.data).toMatchObject({
      id: pending.body.data.id,
      createdAt: pending.body.data.createdAt,
      status: 'active',
      secret: expect.stringMatching(/^whsec_/),
    })
  })

  test('an active registration is neither shown nor replaced', async () => {
    const orgId = randomUUID()
    const token = await tokenIn(orgId, ['owner'])
    const active = await register(orgId, token)
    for (const address of [url, 'https://attacker.example/']) {
      const { body } = await register(orgId, undefined, address)
      expect(body.data.status).toBe('pending')
      expect(body.data.id).not.toBe(active.body.data.id)
      expect(JSON.stringify(body)).not.toContain('whsec_')
    }
    const again = await register(orgId, token)
    expect(again.body.data).toMatchObject({ id: active.body.data.id, notificationWebhook: url, status: 'active' })
    expect(again.body.data).not.toHaveProperty('secret')
  })

  test('the newest five wait, the sixth takes the place of the oldest', async () => {
    const orgId = await newOrganization()
    const addresses = Array.from({ length: 6 }, (_, number) => `https://hooks.example.org/${number}`)
    const ids: string[] = []
    for (const address of addresses) ids.push((await register(orgId, undefined, address)).body.data.id)
    const listed = await api.get(`/webhooks/orgs/${orgId}`, { token: tokens.rootWithTenants })
    expect(listed.body.map(({ id }: { id: string }) => id).sort()).toEqual(ids.slice(1).sort())
    const token = await tokenIn(orgId, ['owner'])
    const kept = []
    for (const address of addresses) kept.push((await register(orgId, token, address)).body.data.id)
    expect(kept.slice(1)).toEqual(ids.slice(1))
    expect(ids).not.toContain(kept[0])
  })

  test('nothing tells whether the organization exists, has an endpoint, or was asked for before', async () => {
    const [nobodys, existing, active] = [randomUUID(), await newOrganization(randomUUID()), randomUUID()]
    await register(active, await tokenIn(active, ['owner']))
    const ids = new Set<string>()
    const shapes = new Set<string>()
    for (const orgId of [nobodys, existing, active])
      for (let time = 0; time < 3; time++) {
        const asked = Date.now()
        const { status, headers, body, text } = await register(orgId)
        const { id, createdAt, updatedAt, ...data } = body.data
        ids.add(id)
        expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(asked)
        expect(updatedAt).toBe(createdAt)
        const { 'x-request-id': _, date: __, ...shown } = headers
        shapes.add(JSON.stringify([status, shown, text.length, { ...body, data: { ...data, orgId: '' } }]))
      }
    expect(ids.size).toBe(9)
    expect([...shapes]).toHaveLength(1)
    const list = async (orgId: string) =>
      (await api.get(`/webhooks/orgs/${orgId}`, { token: tokens.rootWithTenants })).body
    expect(await list(nobodys)).toEqual([])
    expect(await list(existing)).toHaveLength(1)
    expect(await list(active)).toHaveLength(2)
  })

  test('many at once all get the same answer, whether the organization exists or not', async () => {
    for (const orgId of [randomUUID(), await newOrganization()]) {
      const addresses = Array.from({ length: 20 }, (_, number) => `https://hooks.example.org/${number}`)
      const answers = await Promise.all(addresses.map((address) => register(orgId, undefined, address)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    }
  })

  test('an Idempotency-Key is nobody’s: every answer is a fresh one', async () => {
    const orgId = await newOrganization()
    const ask = (key: string) =>
      api.post(path, { headers: { 'idempotency-key': key }, body: { orgId, notificationWebhook: url } })
    const key = randomUUID()
    const [first, again] = [await ask(key), await ask(key)]
    expect(again.body.data.id).not.toBe(first.body.data.id)
    expectError(await ask('a b'), 400, { message: 'the Idempotency-Key must be 1 to 255 visible characters' })
  })
})

describe('with a valid token that has no right to it: 403', () => {
  const orgId = randomUUID()

  test.each([
    ['a member', () => tokenIn(orgId, ['member', 'issuer', 'verifier'])],
    ['an owner in other letters', () => tokenIn(orgId, ['Owner', 'ADMIN'])],
    ['no role at all', () => tokenIn(orgId, [])],
    ['the owner of another organization', () => tokenIn(`${orgId}x`, ['owner'])],
    ['a tenant without organizations', async () => world.acme.token],
  ])('%s', async (_, tokenFor) => {
    expectError(await register(orgId, await tokenFor()), 403)
  })

  test("the owner of a tenant's organization, for another tenant's", async () => {
    expectError(await register(world.globex.orgId, world.acme.ownerToken), 403)
    expectError(await register(world.base.orgId, world.acme.ownerToken), 403)
  })

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'whoever has no role in an organization that is called %s',
    async (name) => {
      expectError(await register(name, world.acme.token), 403)
      expectError(await register(name, await tokenIn(name, ['member'])), 403)
    },
  )
})

describe('the address of an endpoint', () => {
  test.each(ENDPOINTS)('may be %s', async (address) => {
    const { status, body } = await register(randomUUID(), tokens.rootWithTenants, address)
    expect({ status, address: body.data?.notificationWebhook }).toEqual({ status: 201, address })
  })

  test.each(NO_ENDPOINTS)('may not be %s: %s', async (_, address) => {
    const answer = await register(randomUUID(), tokens.rootWithTenants, address)
    expectInvalid(answer, ['notificationWebhook'])
  })
})

describe('names every field that is wrong', () => {
  test.each<[object, string[]]>([
    [{}, ['orgId', 'notificationWebhook']],
    [{ orgId: 'a b', notificationWebhook: 'ftp://example.org' }, ['orgId', 'notificationWebhook']],
    [{ orgId: '', notificationWebhook: url }, ['orgId']],
    [{ orgId: 'x'.repeat(65), notificationWebhook: url }, ['orgId']],
    [{ orgId: 1, notificationWebhook: [url] }, ['orgId', 'notificationWebhook']],
    [{ ...route.body, secret: 'whsec_mine', status: 'active' }, ['secret', 'status']],
    [{ orgId: 'o', webhookUrl: url }, ['notificationWebhook', 'webhookUrl']],
  ])('%j', async (body, fields) => {
    for (const token of [tokens.rootWithTenants, undefined])
      expectInvalid(await api.post(path, { token, body }), fields)
  })
})
