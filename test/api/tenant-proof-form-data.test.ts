/** tenant_ProofFormData over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, globex, tokens } from '../support/api/scene.ts'
import { degreeDefinition } from '../support/scenes.ts'

const pathOf = (proofRecordId: string, tenantId = globex.tenantId) =>
  `/multi-tenancy/form-data/${tenantId}/${proofRecordId}`
const path = pathOf(globex.proofRecordId)
const { token } = globex

test('shows the proof record with the request and the presentation', async () => {
  const answer = await api.get(path, { token })
  expect(answer.status).toBe(200)
  const { body } = answer
  expect(body).toMatchObject({
    id: globex.proofRecordId,
    metadata: {},
    createdAt: expect.any(String),
    connectionId: globex.connectionId,
    threadId: expect.any(String),
    protocolVersion: 'v2',
    state: 'done',
    role: 'verifier',
    isVerified: true,
    _tags: { state: 'done', role: 'verifier', threadId: body.threadId, connectionId: globex.connectionId },
    request: { presentationExchange: { presentation_definition: degreeDefinition } },
    presentation: {
      presentationExchange: {
        type: ['VerifiablePresentation'],
        presentation_submission: { definition_id: degreeDefinition.id },
        verifiableCredential: [{ credentialSubject: { degree: 'Bachelor' } }],
      },
    },
  })
  expect(body).not.toHaveProperty('proposal')
  await expectExample(answer)
})

test('shows a request without a response', async () => {
  const body = {
    protocolVersion: 'v2',
    proofFormats: { presentationExchange: { presentationDefinition: degreeDefinition } },
  }
  const { body: request } = await api.post('/proofs/create-request-oob', { token: acme.token, body })
  const answer = await api.get(pathOf(request.proofRecordId, acme.tenantId), { token: acme.token })
  expect(answer.body).toMatchObject({ id: request.proofRecordId, state: 'request-sent', role: 'verifier' })
  for (const field of ['connectionId', 'isVerified', 'presentation', 'proposal'])
    expect(answer.body).not.toHaveProperty(field)
})

describe('knows no other proof', () => {
  test.each([
    ['one of an unknown tenant', () => [globex.proofRecordId, randomUUID()]],
    ['the id of a credential', () => [globex.credentialRecordId, globex.tenantId]],
    ['the id of a connection', () => [globex.connectionId, globex.tenantId]],
  ])('%s: 404', async (_, ids) => {
    const [proofRecordId = '', tenantId] = ids()
    expectError(await api.get(pathOf(proofRecordId, tenantId), { token: tokens.rootWithTenants }), 404, {
      message: 'there is no such record',
    })
  })
})
