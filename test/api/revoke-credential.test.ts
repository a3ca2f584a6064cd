/** RevokeCredential over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { addIssuedExchange, revocableAt } from '../support/anoncreds/issued-exchange.ts'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, tokens, world } from '../support/api/scene.ts'

const pathOf = (id: string) => `/credentials/${id}/revoke`
const route = { method: 'POST', path: pathOf(acme.credentialRecordId) } as const

const issued = (metadata: object): Promise<string> => addIssuedExchange(acme.tenantId ?? '', metadata)

const revocable = (index: number) => {
  const did = 'did:webvh:QmXyC1pVxSxVKvJ1Lk7xWm1oCWxSVuJ6qhUKSfkDuAJxC1:agent.example.org:webvh:acme'
  // Nobody publishes it: the registry is not there.
  return revocableAt(`${did}/resources/zQmRegistry`, index, {
    schemaId: `${did}/resources/zQmSchema`,
    credentialDefinitionId: `${did}/resources/zQmDefinition`,
  })
}

beforeAll(() => {
  const { tableName, dynamodbEndpoint, baseUrl } = world
  Object.assign(process.env, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: dynamodbEndpoint, PUBLIC_URL: baseUrl })
})

testWithLibrary('says that the revocation is pending, and the same again', async () => {
  const path = pathOf(await issued(revocable(1)))
  const answer = await api.post(path, { token: acme.token })
  expect(answer.status).toBe(200)
  expect(answer.body.metadata['_agent/revocation']).toEqual({
    state: 'pending',
    revokedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  await expectExample(answer)
  const again = await api.post(path, { token: acme.token })
  expect(again.body.metadata).toEqual(answer.body.metadata)
})

test('refuses a credential that can not be revoked', async () => {
  const message = 'the credential can not be revoked: only AnonCreds can, of a definition with supportRevocation'
  expectError(await api.post(route.path, { token: acme.token }), 409, { message })
  expectError(await api.post(pathOf(await issued({})), { token: acme.token }), 409, { message })
})

test("knows no other agent's exchange", async () => {
  const message = 'there is no such credential exchange'
  expectError(await api.post(pathOf('nothing'), { token: acme.token }), 404, { message })
  expectError(await api.post(pathOf(await issued(revocable(2))), { token: Object.values(tokens)[0] }), 404, {
    message,
  })
})
