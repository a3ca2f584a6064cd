import { expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { api, globex } from '../support/api/scene.ts'

const pathOf = (id: string) => `/connections/${id}`
const { token } = globex
const route = { method: 'GET', path: pathOf(globex.connectionId) } as const
const _message = 'there is no such record'

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
