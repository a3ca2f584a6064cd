/** GetWebvhLog and GetWebvhResource over HTTP: public documents, for caches. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { listOf, registryOf, schemaOf } from '../support/anoncreds/objects.ts'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, world } from '../support/api/scene.ts'

const FOR_EVER = 'public, max-age=31536000, immutable'

const tenantId: string = randomUUID()
let did: string
let schemaId: string
let registryId: string
let listId: string

const logPath = (tenant = tenantId) => `/webvh/${tenant}/did.jsonl`
const resourcePath = (id: string, tenant = tenantId) => `/webvh/${tenant}/resources/${id.split('/').at(-1)}`

/** Publishes in the table of the stage, as the stage's functions do. */
const publish = async () => {
  const { transaction } = await import('../../lib/store/transaction.ts')
  await import('../../lib/agent/compose.ts')
  const { currentAgent } = await import('../../lib/agent/credo/current.ts')
  const { webvhIssuer } = await import('../../lib/agent/dids/webvh-issuer.ts')
  const { WebvhRegistry } = await import('../../lib/agent/formats/anoncreds/webvh-registry.ts')
  const registry = new WebvhRegistry()
  await transaction(tenantId, async () => {
    const agent = await currentAgent()
    const options = {}
    did = await webvhIssuer(agent)
    const { schemaState } = await registry.registerSchema(agent.context, { schema: schemaOf(did), options })
    schemaId = (schemaState as { schemaId: string }).schemaId
    const revocationRegistryDefinition = registryOf(did, `${did}/resources/zDefinition`)
    const made = await registry.registerRevocationRegistryDefinition(agent.context, {
      revocationRegistryDefinition,
      options,
    })
    const { revocationRegistryDefinitionState: state } = made
    registryId = (state as { revocationRegistryDefinitionId: string }).revocationRegistryDefinitionId
    await registry.registerRevocationStatusList(agent.context, {
      revocationStatusList: listOf(did, registryId),
      options,
    })
  })
}

beforeAll(async () => {
  const { tableName, dynamodbEndpoint, baseUrl } = world
  Object.assign(process.env, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: dynamodbEndpoint, PUBLIC_URL: baseUrl })
  await publish()
  const { body } = await api.get(resourcePath(registryId))
  listId = body.links[0].id
})

test('the log is at the address that the DID names, and is not cached', async () => {
  const { host, pathname } = new URL(world.baseUrl)
  const path = pathname.split('/').filter((segment) => segment !== '')
  expect(did.split(':').slice(3)).toEqual([host.replace(/.*:/, 'localhost%3A'), ...path, 'webvh', tenantId])
  const answer = await api.get(logPath())
  expect(answer.status).toBe(200)
  expect(answer.text.split('\n').map((line) => line && JSON.parse(line).state.id)).toEqual([did, ''])
  expect(answer.headers).toMatchObject({ 'content-type': 'text/jsonl', 'cache-control': 'no-cache' })
  await expectExample(answer)
})

test('a schema and a status list never change', async () => {
  for (const [id, content] of [
    [schemaId, schemaOf(did)],
    [listId, listOf(did, registryId)],
  ] as const) {
    const answer = await api.get(resourcePath(id))
    expect(answer).toMatchObject({ status: 200, body: { id, content } })
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': FOR_EVER })
  }
  await expectExample(await api.get(resourcePath(schemaId)))
})

test('a registry changes: it gets links', async () => {
  const answer = await api.get(resourcePath(registryId))
  expect(answer).toMatchObject({ status: 200, body: { links: [{ id: listId, type: 'anonCredsStatusList' }] } })
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache' })
})

describe('a caller that already has the document', () => {
  test('gets a 304 for its ETag', async () => {
    for (const path of [logPath(), resourcePath(schemaId), resourcePath(registryId)]) {
      const { etag = '' } = (await api.get(path)).headers
      expect(etag).toMatch(/^".+"$/)
      const again = await api.get(path, { headers: { 'if-none-match': etag } })
      expect({ status: again.status, text: again.text, etag: again.headers.etag }).toEqual({
        status: 304,
        text: '',
        etag,
      })
    }
  })

  test('gets it with another ETag', async () => {
    const answer = await api.get(logPath(), { headers: { 'if-none-match': '"other"' } })
    expect(answer.status).toBe(200)
  })
})

const message = 'there is no such document'

test('what the tenant does not have is a 404', async () => {
  expectError(await api.get(resourcePath('zQmUnknown')), 404, { message })
  expectError(await api.get(logPath(randomUUID())), 404, { message })
  expectError(await api.get(logPath('base')), 404, { message })
  // Another tenant's.
  expectError(await api.get(resourcePath(schemaId, acme.tenantId ?? '')), 404, { message })
  expectError(await api.get(resourcePath(schemaId, 'base')), 404, { message })
})

test('no token is required, and none is read', async () => {
  const answer = await api.get(logPath(), { headers: { authorization: 'Bearer x' } })
  expect(answer.status).toBe(200)
})
