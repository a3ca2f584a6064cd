/** CreateCredentialDefinition, GetCredentialDefinitions and GetCredentialDefinitionById over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { hasLibrary, testWithLibrary } from '../support/anoncreds/library.ts'
import { expectExample } from '../support/api/example.ts'
import { api, expectInvalid, globex, tokens, tokenWith } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

const path = '/anoncreds/credential-definitions'

const root = tokens.rootWithTenants
const tenant = await api.post('/multi-tenancy/create-tenant', { token: root, body: { config: { label: 'issuer' } } })
const token = await tokenWith({ role: 'RestTenantAgent', tenantId: tenant.body.id })
const schema = { name: 'degree', version: '1.0', attributes: ['name', 'degree'] }
const { schemaId } = (await api.post('/anoncreds/schemas', { token, body: schema })).body
const valid = { schemaId, tag: 'default' }

const read = (id: string, as = token) => api.get(`${path}/${id}`, { token: as })

let made: Json

beforeAll(async () => {
  if (!hasLibrary) return
  const { body } = await api.post(path, { token, body: valid })
  made = await waitFor('the definition', async () => {
    const answer = await read(body.id)
    return answer.body.state === 'wait' ? undefined : answer.body
  })
})

/** The library writes attributes in any order. */
const sortAttributes = ({ credentialDefinition }: Json) => {
  const { primary } = credentialDefinition.value
  primary.r = Object.fromEntries(Object.entries(primary.r).sort(([a], [b]) => `${a}`.localeCompare(`${b}`)))
}

testWithLibrary('asks for a definition; the same one again is the one that is there', async () => {
  const answer = await api.post(path, { token, body: valid })
  expect(answer).toMatchObject({
    status: 202,
    body: { id: made.id, state: 'finished', schemaId, tag: 'default', supportRevocation: false },
  })
  expect(answer.body.credentialDefinition).toEqual(made.credentialDefinition)
  sortAttributes(answer.body)
  await expectExample(answer)
})

testWithLibrary(
  'is finished after a while, and is read by either id, the definition’s own unchanged or encoded',
  async () => {
    expect(made).toMatchObject({ state: 'finished', credentialDefinition: { schemaId, tag: 'default', type: 'CL' } })
    const { credentialDefinitionId } = made
    for (const id of [credentialDefinitionId, encodeURIComponent(credentialDefinitionId)])
      expect((await read(id)).body).toEqual(made)
    const shown = await read(made.id)
    sortAttributes(shown.body)
    await expectExample(shown)
  },
)

testWithLibrary('lists the definitions of the agent that the token acts for, and no other', async () => {
  const answer = await api.get(path, { token })
  expect(answer.body).toMatchObject([{ id: made.id, state: 'finished', tag: 'default' }])
  expect(answer.body).toHaveLength(1)
  await expectExample(answer)
  expect((await api.get(path, { token: globex.token })).body).toEqual([])
})

testWithLibrary('an agent has one did:webvh, whichever operation needs it first', async () => {
  const config = { label: 'first a definition' }
  const { body } = await api.post('/multi-tenancy/create-tenant', { token: root, body: { config } })
  const as = await tokenWith({ role: 'RestTenantAgent', tenantId: body.id })
  const definition = await api.post(path, { token: as, body: valid })
  expect(definition).toMatchObject({ status: 202, body: { state: 'wait', schemaId } })
  const own = await api.post('/anoncreds/schemas', { token: as, body: schema })
  expect(own.body.schema.issuerId).toBe(definition.body.issuerId)
})

test('names every field that is wrong', async () => {
  expectInvalid(await api.post(path, { token, body: { tag: '', revocationRegistrySize: 1, more: 1 } }), [
    'schemaId',
    'tag',
    'revocationRegistrySize',
    'more',
  ])
})
