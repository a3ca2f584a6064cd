/** GetCredentialById over HTTP. */
import { expect, test } from 'vitest'
import { acme, api } from '../support/api/scene.ts'

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
