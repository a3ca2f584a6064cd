/** tenant_GetBasicMessages over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { followPages } from '../support/api/pages.ts'
import { api, expectError, expectMalformed, globex, tokens } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

const pathOf = (connectionId: string, tenantId = globex.tenantId) =>
  `/multi-tenancy/basic-messages/${connectionId}/${tenantId}`
const path = pathOf(globex.connectionId)
const { token } = globex

const contentsOf = (records: Json[]): string[] => records.map(({ content }) => content)

test('lists what was said on the connection, oldest first', async () => {
  const answer = await waitFor('the messages to be delivered', async () => {
    const listed = await api.get(path, { token })
    const states = listed.body.map(({ metadata }: Json) => metadata['_agent/delivery']?.state ?? 'delivered')
    return states.every((state: string) => state === 'delivered') && listed
  })
  expect(answer.status).toBe(200)
  expect(contentsOf(answer.body)).toEqual(globex.contents)
  expect(answer.headers.link).toBeUndefined()
  const [sent, received] = answer.body
  expect(sent).toMatchObject({
    connectionId: globex.connectionId,
    role: 'sender',
    _tags: { role: 'sender', connectionId: globex.connectionId },
  })
  expect(received).toMatchObject({ role: 'receiver', _tags: { role: 'receiver' } })
  await expectExample(answer)
})

test('a connection on which nothing was said has an empty list', async () => {
  const { status, body } = await api.get(pathOf(globex.silentConnectionId), { token })
  expect({ status, body }).toEqual({ status: 200, body: [] })
})

describe('knows no other connection', () => {
  const message = 'there is no such record'

  test.each([
    ['one of an unknown tenant', () => [globex.connectionId, randomUUID()]],
    ['the id of a message', () => [globex.proofRecordId, globex.tenantId]],
  ])('%s: 404', async (_, ids) => {
    const [connectionId = '', tenantId] = ids()
    expectError(await api.get(pathOf(connectionId, tenantId), { token: tokens.rootWithTenants }), 404, { message })
  })
})

describe('gives a page at a time', () => {
  test.each([2, 5])('of %i, and the Link header leads through all of them', async (limit) => {
    const pages = await followPages(`${path}?limit=${limit}`, token)
    expect(pages.map((page) => page.length)).toEqual(
      Array.from({ length: Math.ceil(globex.contents.length / limit) }, (_, page) =>
        Math.min(limit, globex.contents.length - page * limit),
      ),
    )
    expect(contentsOf(pages.flat())).toEqual(globex.contents)
  })

  test.each(['0', '-1', '1001', '01001', '1.5', 'ten', '1e2', '0x10', '', '%20', '٣', '1%00'])(
    'but not of %s',
    async (limit) => {
      expectMalformed(await api.get(`${path}?limit=${encodeURI(decodeURI(limit))}`, { token }), 'query', ['limit'])
    },
  )

  test.each(['up', 'ASC', ''])('nor ordered %j', async (order) => {
    expectMalformed(await api.get(`${path}?order=${order}`, { token }), 'query', ['order'])
  })

  test('a repeated parameter is rejected', async () => {
    expectMalformed(await api.get(`${path}?limit=1&limit=2`, { token }), 'query', ['limit'])
  })
})
