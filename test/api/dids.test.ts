/** CreateDid, GetDids, ResolveDid and GetWebDidDocument over HTTP: a DID is unchanged or encoded in a path. */
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, globex, tokens, tokenWith } from '../support/api/scene.ts'

const { token } = acme
/** A tenant of our own, which has no DID yet. */
const tenant = (
  await api.post('/multi-tenancy/create-tenant', { token: tokens.rootWithTenants, body: { config: { label: 'DIDs' } } })
).body
const own = await tokenWith({ role: 'RestTenantAgent', tenantId: tenant.id })

const create = (body: object, as = token) => api.post('/dids/write', { token: as, body })

test('makes a DID, and shows it with what it resolves to', async () => {
  const made = await create({ method: 'web' }, own)
  expect(made).toMatchObject({ status: 200, body: { did: made.body.didDocument.id } })
  await expectExample(made)

  const list = await api.get('/dids', { token: own })
  expect(list).toMatchObject({ status: 200, body: [{ did: made.body.did }] })
  await expectExample(list)

  const document = await api.get(`/web/${tenant.id}/did.json`)
  expect(document).toMatchObject({
    ...{ status: 200, body: made.body.didDocument },
    headers: { 'cache-control': 'no-cache' },
  })
  await expectExample(document)
})

describe('resolves it', () => {
  test.each<[string, (did: string) => string]>([
    ['unchanged', (did) => did],
    ['in percent-encoding', encodeURIComponent],
    ['with encoded colons only', (did) => did.replaceAll('%', '%25').replaceAll(':', '%3A')],
  ])('%s', async (_, write) => {
    for (const method of ['web', 'webvh', 'peer']) {
      const { did } = (await create({ method })).body
      const answer = await api.get(`/dids/${write(did)}`, { token: globex.token })
      expect(answer).toMatchObject({ status: 200, body: { didDocument: { id: did } } })
    }
  })

  test('with its metadata', async () => {
    const { did } = (await create({ method: 'key', seed: 'seed-of-the-example-of-ResolveDi' })).body
    await expectExample(await api.get(`/dids/${did}`, { token }))
  })
})
