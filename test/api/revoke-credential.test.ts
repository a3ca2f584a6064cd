/** RevokeCredential over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { addIssuedExchange, revocableAt } from '../support/anoncreds/issued-exchange.ts'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, world } from '../support/api/scene.ts'

const pathOf = (id: string) => `/credentials/${id}/revoke`
const route = { method: 'POST', path: pathOf(acme.credentialRecordId) } as const

const issued = (metadata: object): Promise<string> => addIssuedExchange(acme.tenantId ?? '', metadata)

const did = 'did:webvh:QmXyC1pVxSxVKvJ1Lk7xWm1oCWxSVuJ6qhUKSfkDuAJxC1:agent.example.org:webvh:acme'
// Nobody publishes it: the registry is not there.
const revocable = revocableAt(`${did}/resources/zQmRegistry`, 1, {
  schemaId: `${did}/resources/zQmSchema`,
  credentialDefinitionId: `${did}/resources/zQmDefinition`,
})

beforeAll(() => {
  const { tableName, dynamodbEndpoint, baseUrl } = world
  Object.assign(process.env, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: dynamodbEndpoint, PUBLIC_URL: baseUrl })
})

testWithLibrary('says that the revocation is pending, and the same again', async () => {
  const path = pathOf(await issued(revocable))
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

test('refuses a credential that cannot be revoked', async () => {
  const message =
    'the credential cannot be revoked: only AnonCreds credentials of a definition with supportRevocation are revocable'
  expectError(await api.post(route.path, { token: acme.token }), 409, { message })
  expectError(await api.post(pathOf(await issued({})), { token: acme.token }), 409, { message })
})
