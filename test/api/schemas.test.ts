/** CreateSchema and GetSchemaById over HTTP: a schema's id has slashes, and is unchanged or encoded in a path. */
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, expectInvalid, expectMalformed } from '../support/api/scene.ts'

const path = '/anoncreds/schemas'
const { token } = acme
const valid = { name: 'degree', version: '1.0', attributes: ['name', 'degree', 'birthdate_dateint'] }

const create = (body: object, as = token) => api.post(path, { token: as, body })
const { body: made } = await create(valid)
const schemaId: string = made.schemaId

test('publishes a schema under the did:webvh of the agent, and says its state', async () => {
  const answer = await create(valid)
  expect(answer).toMatchObject({
    status: 200,
    body: { state: 'finished', schemaId, schema: { name: 'degree', version: '1.0', attrNames: valid.attributes } },
  })
  await expectExample(answer)
})

describe('reads it', () => {
  test.each<[string, (id: string) => string]>([
    ['unchanged', (id) => id],
    ['in percent-encoding', encodeURIComponent],
    ['with encoded slashes only', (id) => id.replaceAll('%', '%25').replaceAll('/', '%2F')],
    ['with encoded colons only', (id) => id.replaceAll('%', '%25').replaceAll(':', '%3A')],
  ])('by its id in the path, %s', async (_, write) => {
    const { status, body } = await api.get(`${path}/${write(schemaId)}`, { token })
    expect({ status, body }).toMatchObject({ status: 200, body: { schemaId, schema: { name: 'degree' } } })
  })

  test('with its metadata', async () => {
    const answer = await api.get(`${path}/${encodeURIComponent(schemaId)}`, { token })
    expect(answer.body).toEqual({ schemaId, schema: made.schema, resolutionMetadata: {}, schemaMetadata: {} })
    await expectExample(answer)
  })
})

describe('an id that is not of a schema is a 404', () => {
  test.each(['x', `${schemaId}x`, 'did:web:example.org/schema', 'WgWxqztrNooG92RXvxSTWv:2:degree:1.0', 'a/b/c', 'ä'])(
    '%s',
    async (id) => {
      const { status } = await api.get(`${path}/${encodeURIComponent(id)}`, { token })
      expect(status).toBe(404)
    },
  )

  test.each(['', '/', '/.', '/a/..'])('nothing at all: %j', async (nothing) => {
    expectError(await api.get(`${path}${nothing}`, { token }), 404)
  })
})

test.each([
  ['4,097 characters', 'x'.repeat(4097)],
  ['a line end', 'a%0Ab'],
  ['NUL', 'a%00b'],
])('an id of %s is a 400', async (_, id) => {
  expectMalformed(await api.get(`${path}/${id}`, { token }), 'path', ['schemaId'])
})

test('names every field that is wrong', async () => {
  expectInvalid(await create({ name: '', version: 'one', attributes: [], more: 1 }), [
    'name',
    'version',
    'attributes',
    'more',
  ])
})
