/** GetConnectionById over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, base, expectError, globex, tokens } from '../support/api/scene.ts'

const pathOf = (id: string) => `/connections/${id}`
const { token } = globex
const route = { method: 'GET', path: pathOf(globex.connectionId) } as const
const message = 'there is no such record'

test('shows a connection', async () => {
  const answer = await api.get(route.path, { token })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id: globex.connectionId,
    state: 'completed',
    role: 'responder',
    theirDid: globex.theirDid,
    theirLabel: 'Wallet',
    outOfBandId: globex.outOfBandId,
    did: expect.stringMatching(/^did:peer:/),
    _tags: { state: 'completed', role: 'responder', outOfBandId: globex.outOfBandId },
  })
  await expectExample(answer)
})

test('shows one that the other side has given up', async () => {
  const { body } = await api.get(pathOf(globex.abandonedConnectionId), { token })
  expect(body).toMatchObject({ state: 'abandoned', errorMessage: 'gone : I am leaving' })
})

describe('shows the connections of the agent that the token acts for', () => {
  test.each(Object.entries(tokens))('%s: the base agent', async (_, rootToken) => {
    const { status, body } = await api.get(pathOf(base.connectionId), { token: rootToken })
    expect({ status, id: body.id }).toEqual({ status: 200, id: base.connectionId })
    expectError(await api.get(route.path, { token: rootToken }), 404, { message })
  })

  test.each([
    ["another tenant's", acme.connectionId],
    ["the base agent's", base.connectionId],
    ['an unknown one', randomUUID()],
    ['an out-of-band record', globex.outOfBandId],
  ])('a tenant: not %s', async (_, id) => {
    expectError(await api.get(pathOf(id), { token }), 404, { message })
  })
})
