/** GetTenants over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { followPages } from '../support/api/pages.ts'
import { acme, api, expectError, expectMalformed, globex, tokens, world } from '../support/api/scene.ts'
import { sign } from '../support/api/tokens.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const token = tokens.rootWithTenants
const pathOf = (orgId: string) => `/multi-tenancy?orgId=${orgId}`

const create = async (orgId: string, label: string): Promise<Json> =>
  (await api.post('/multi-tenancy/create-tenant', { token, body: { config: { label }, orgId } })).body

const byId = (a: Json, b: Json): number => (a.id < b.id ? -1 : 1)

test('lists the tenants of an organization as their creation showed them, by id, and no other ones', async () => {
  const orgId = `org-${randomUUID()}`
  // Its id begins like that of the other one.
  await create(`${orgId}.b`, 'Other')
  // With the same label: their ids are random, and so is their order in the example.
  const created = [await create(orgId, 'Initech'), await create(orgId, 'Initech')]
  const answer = await api.get(pathOf(orgId), { token })
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created.sort(byId) })
  expect(answer.headers.link).toBeUndefined()
  await expectExample(answer)
})

test.each([1, 2, 3])('has pages of %i', async (limit) => {
  const orgId = `a:b.c_d-${randomUUID()}`
  const created = await Promise.all(['One', 'Two', 'Three'].map((label) => create(orgId, label)))
  const pages = await followPages(`${pathOf(orgId)}&limit=${limit}`, token)
  expect(pages.map(({ length }) => length)).toEqual({ 1: [1, 1, 1], 2: [2, 1], 3: [3] }[limit])
  expect(pages.flat()).toEqual(created.sort(byId))
})

test.each([`none-${randomUUID()}`, '__proto__x', 'constructor-x'])(
  '%s without tenants has an empty list',
  async (orgId) => {
    const { status, body } = await api.get(pathOf(orgId), { token })
    expect({ status, body }).toEqual({ status: 200, body: [] })
  },
)

describe('rejects', () => {
  test('a request without an organization, and says why', async () => {
    const answer = await api.get('/multi-tenancy', { token })
    expectMalformed(answer, 'query', ['orgId'])
    expect(answer.body.details[0].message).toMatch(/^is required: .* whole table/)
  })

  test.each(['', '*', '@base', 'a%7Cb', '..', 'x'.repeat(65)])('the organization %j', async (orgId) => {
    expectMalformed(await api.get(pathOf(orgId), { token }), 'query', ['orgId'])
  })

  test.each(['a|b', '2026-01-01T00:00:00.000Z#a', '@base', ''])('a cursor with the position %j', async (position) => {
    const cursor = Buffer.from(position).toString('base64url')
    expect((await api.get(`${pathOf(acme.orgId)}&cursor=${cursor}`, { token })).status).toBe(400)
  })
})

test('is for root tokens with tenants alone', async () => {
  for (const other of [tokens.root, acme.token, acme.ownerToken])
    for (const orgId of [acme.orgId, globex.orgId, randomUUID()])
      expectError(await api.get(pathOf(orgId), { token: other }), 403)
})

test('shows what the issuer of a token may reach, and no more', async () => {
  const role = 'RestRootAgentWithTenants'
  const ofOrganizations = await sign(world.issuers.ofOrganizations, { role })
  const created = await create('granted-org', 'Granted')
  const { status, body } = await api.get(pathOf('granted-org'), { token: ofOrganizations })
  expect(status).toBe(200)
  expect(body).toContainEqual(created)
  const limited = await sign(world.issuers.limited, { role })
  const { body: reached } = await api.get(pathOf('granted-org'), { token: limited })
  expect(reached.filter(({ id }: Json) => id !== 'granted-tenant')).toEqual([])
  for (const one of [ofOrganizations, limited])
    for (const orgId of [globex.orgId, randomUUID()]) expectError(await api.get(pathOf(orgId), { token: one }), 403)
})
