/** GetCredentialById over HTTP. */
import { describe, expect, test } from 'vitest'
import { acme, api, base, expectError, tokens } from '../support/api/scene.ts'

const pathOf = (id: string) => `/credentials/${id}`
const route = { method: 'GET', path: pathOf(acme.credentialRecordId) } as const

test('shows a credential exchange with all its fields', async () => {
  const answer = await api.get(route.path, { token: acme.token })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id: acme.credentialRecordId,
    connectionId: acme.connectionId,
    threadId: expect.any(String),
    protocolVersion: 'v2',
    state: 'done',
    role: 'issuer',
    credentials: [],
    credentialAttributes: [],
    metadata: {},
    _tags: { state: 'done', role: 'issuer', connectionId: acme.connectionId, threadId: answer.body.threadId },
  })
  expect(answer.body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

describe('shows the records of the agent that the token acts for', () => {
  test.each(Object.entries(tokens))('%s: the base agent', async (_, token) => {
    const { status, body } = await api.get(pathOf(base.credentialRecordId), { token })
    expect({ status, id: body.id }).toEqual({ status: 200, id: base.credentialRecordId })
    expectError(await api.get(route.path, { token }), 404, { message: 'there is no such record' })
  })

  test('a tenant: its own', async () => {
    expectError(await api.get(pathOf(base.credentialRecordId), { token: acme.token }), 404, {
      message: 'there is no such record',
    })
  })
})

describe('knows no other record', () => {
  test.each([
    ['an id of nothing', () => 'nothing'],
    ['the id of a connection', () => acme.connectionId],
    ['the id of a proof', () => acme.proofRecordId],
    ['the id of the tenant', () => acme.tenantId ?? ''],
  ])('%s', async (_, id) => {
    expectError(await api.get(pathOf(id()), { token: acme.token }), 404, { message: 'there is no such record' })
  })
})
