/** RegisterWebhook over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { expectRegistered } from '../support/api/registration.ts'
import { acme, api, expectError, expectInvalid, tokenIn, tokens } from '../support/api/scene.ts'

const url = 'https://hooks.example.org/agent'
const pathOf = (orgId: string) => `/webhooks/orgs/${orgId}/register`

const register = (orgId: string, token: string, webhookUrl = url) =>
  api.post(pathOf(orgId), { token, body: { webhookUrl } })

test('registers the webhook of the organization and shows its secret', async () => {
  const orgId = `org-${randomUUID()}`
  const answer = await register(orgId, await tokenIn(orgId, ['owner']))
  expectRegistered(answer, orgId, { webhookUrl: url })
  await expectExample(answer)
})

describe('who may register', () => {
  test.each([
    ['an owner', (orgId: string) => tokenIn(orgId, ['owner'])],
    ['an admin', (orgId: string) => tokenIn(orgId, ['admin'])],
    ['a root token with tenants', async () => tokens.rootWithTenants],
  ])('%s', async (_, tokenFor) => {
    const orgId = randomUUID()
    expect((await register(orgId, await tokenFor(orgId))).status).toBe(201)
  })

  test.each([
    ['a member', (orgId: string) => tokenIn(orgId, ['member', 'verifier'])],
    ['a user without a role', (orgId: string) => tokenIn(orgId, [])],
    ['the owner of another organization', () => tokenIn('another', ['owner'])],
    ['a tenant without organizations', async () => acme.token],
  ])('not %s: 403', async (_, tokenFor) => {
    const orgId = randomUUID()
    expectError(await register(orgId, await tokenFor(orgId)), 403)
  })
})

describe('names every field that is wrong', () => {
  test.each<[object, string[]]>([
    [{}, ['webhookUrl']],
    [{ webhookUrl: null }, ['webhookUrl']],
    [{ webhookUrl: { url } }, ['webhookUrl']],
    [{ webhookUrl: 'http://169.254.169.254/latest/meta-data' }, ['webhookUrl']],
    [{ webhookUrl: `https://example.org/${'x'.repeat(2048 - 19)}` }, ['webhookUrl']],
    [{ webhookUrl: url, orgId: 'x' }, ['orgId']],
    [{ notificationWebhook: url }, ['webhookUrl', 'notificationWebhook']],
  ])('%j', async (body, fields) => {
    expectInvalid(await api.post(pathOf('any'), { token: tokens.rootWithTenants, body }), fields)
  })
})
