/** RegisterNotificationWebhook over HTTP: what a caller without a token, with one, and with the wrong one may do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { NO_TOKEN } from '../support/api/bad-tokens.ts'
import { expectExample } from '../support/api/example.ts'
import { expectRegistered } from '../support/api/registration.ts'
import { api, expectError, expectInvalid, newOrganization, tokenIn, tokens, world } from '../support/api/scene.ts'

const path = '/notification/register/webhook-endpoint'
const url = 'https://hooks.example.org/notifications'
const route = { method: 'POST', path, body: { orgId: 'strangers', notificationWebhook: url } } as const

const register = (orgId: string, token?: string, notificationWebhook = url) =>
  api.post(path, { token, body: { orgId, notificationWebhook } })

describe('with a token that manages the organization', () => {
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

  test('an Idempotency-Key has no effect: every response is a new one', async () => {
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
})

describe('names every field that is wrong', () => {
  test.each<[object, string[]]>([
    [{}, ['orgId', 'notificationWebhook']],
    [{ orgId: 'a b', notificationWebhook: 'ftp://example.org' }, ['orgId', 'notificationWebhook']],
    [{ orgId: 'o', notificationWebhook: 'http://169.254.169.254/latest/meta-data' }, ['notificationWebhook']],
    [{ orgId: 'o', notificationWebhook: `https://example.org/${'x'.repeat(2048 - 19)}` }, ['notificationWebhook']],
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
