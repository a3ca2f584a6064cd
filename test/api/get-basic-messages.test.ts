import { expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { followPages } from '../support/api/pages.ts'
import { api, base, globex, tokens } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

const pathOf = (connectionId: string) => `/basic-messages/${connectionId}`
const path = pathOf(globex.connectionId)
const { token } = globex

test("lists what was said on a connection of the token's own agent, as tenant_GetBasicMessages does", async () => {
  const answer = await waitFor('the messages to be delivered', async () => {
    const listed = await api.get(path, { token })
    const sent = listed.body.filter(({ role }: Json) => role === 'sender')
    return sent.every(({ metadata }: Json) => metadata['_agent/delivery'].state === 'delivered') && listed
  })
  expect(answer.status).toBe(200)
  expect(answer.body.map(({ content }: Json) => content)).toEqual(globex.contents)
  for (const { role, metadata } of answer.body)
    expect(metadata).toEqual(
      role === 'sender'
        ? { '_agent/delivery': { state: 'delivered', attempts: 1, deliveredAt: expect.any(String) } }
        : {},
    )
  const named = await api.get(`/multi-tenancy${path}/${globex.tenantId}`, { token })
  expect(named.body).toEqual(answer.body)
  await expectExample(answer)
})

test('the Link header leads through all pages', async () => {
  for (const order of ['asc', 'desc']) {
    const pages = await followPages(`${path}?limit=2&order=${order}`, token)
    const contents = pages.flat().map(({ content }) => content)
    expect(contents).toEqual(order === 'asc' ? globex.contents : globex.contents.toReversed())
    expect(pages.every((page) => page.length <= 2)).toBe(true)
  }
})

test('a root token lists what the base agent said', async () => {
  for (const rootToken of Object.values(tokens))
    expect((await api.get(pathOf(base.connectionId), { token: rootToken })).status).toBe(200)
})
