/** Answers that hold a secret are kept sealed: whichever operation first seals something of an agent makes its data key, the others open it. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/api/client.ts'
import { api, newOrganization, tokenIn, tokens } from '../support/api/scene.ts'
import { requestBody } from '../support/scenes.ts'

interface Organization {
  orgId: string
  /** Of the owner; it acts in a tenant that has sealed nothing yet. */
  token: string
}

const newOwner = async (): Promise<Organization> => {
  const orgId = await newOrganization()
  const body = { config: { label: orgId }, orgId }
  const answer = await api.post('/multi-tenancy/create-tenant', { token: tokens.rootWithTenants, body })
  return { orgId, token: await tokenIn(orgId, ['owner'], answer.body.id) }
}

type Operation = (organization: Organization, key: string) => Promise<Answer>

const URL = 'https://example.org/events'

const registerWebhook: Operation = ({ orgId, token }, key) => {
  const headers = { 'idempotency-key': key }
  return api.post(`/webhooks/orgs/${orgId}/register`, { token, body: { webhookUrl: URL }, headers })
}
const registerNotification: Operation = ({ orgId, token }, key) => {
  const headers = { 'idempotency-key': key }
  const body = { orgId, notificationWebhook: URL }
  return api.post('/notification/register/webhook-endpoint', { token, body, headers })
}
const createRequest: Operation = ({ token }, key) =>
  api.post('/proofs/create-request-oob', { token, body: requestBody, headers: { 'idempotency-key': key } })

const onEndpoint = async (
  { orgId, token }: Organization,
  key: string,
  { id, method = 'POST', operation = '' }: { id: string; method?: string; operation?: string },
): Promise<Answer> => {
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key }
  return api.send({ method, path: `/webhooks/orgs/${orgId}/${id}${operation}`, headers })
}

const expectSameAgain = async (operation: (key: string) => Promise<Answer>): Promise<void> => {
  const key = randomUUID()
  const first = await operation(key)
  expect(first.status).toBeLessThan(300)
  expect((await operation(key)).body).toEqual(first.body)
}

test.each<[string, Operation[]]>([
  ['a webhook', [registerWebhook, registerNotification, createRequest]],
  ['a notification webhook', [registerNotification, registerWebhook]],
  ['an invitation', [createRequest, registerWebhook]],
])('the same Idempotency-Key gets the same answer again where the first is %s', async (_name, operations) => {
  const organization = await newOwner()
  for (const operation of operations) await expectSameAgain((key) => operation(organization, key))
})

describe.each([true, false])('an endpoint of an agent that has sealed something: %s', (sealed) => {
  test.each([
    ['is rotated', { operation: '/rotate-secret' }],
    ['is enabled', { operation: '/enable' }],
    ['is deleted', { method: 'DELETE' }],
  ])('%s once with one Idempotency-Key', async (_name, how) => {
    const organization = await newOwner()
    const { orgId, token } = organization
    const { body } = await api.post(`/webhooks/orgs/${orgId}/register`, { token, body: { webhookUrl: URL } })
    if (sealed) await createRequest(organization, randomUUID())
    await expectSameAgain((key) => onEndpoint(organization, key, { id: body.data.id, ...how }))
  })
})
