/** GetConnections over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { followPages } from '../support/api/pages.ts'
import { acme, api, base, expectMalformed, globex, tokens } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const path = '/connections'
const { token } = globex

const idsOf = (records: Json[]): string[] => records.map(({ id }) => id)
/** Oldest first. */
const all = [globex.connectionId, globex.silentConnectionId, globex.abandonedConnectionId]

test("lists the agent's connections, oldest first", async () => {
  const { status, body, headers } = await api.get(path, { token })
  expect({ status, ids: idsOf(body), link: headers.link }).toEqual({ status: 200, ids: all, link: undefined })
})

test('finds the connection that came of an invitation', async () => {
  const answer = await api.get(`${path}?outOfBandId=${globex.outOfBandId}`, { token })
  expect(answer.body).toMatchObject([
    {
      id: globex.connectionId,
      state: 'completed',
      role: 'responder',
      outOfBandId: globex.outOfBandId,
      theirDid: globex.theirDid,
      theirLabel: 'Wallet',
      _tags: { state: 'completed', role: 'responder', outOfBandId: globex.outOfBandId },
    },
  ])
  expect(answer.body).toHaveLength(1)
  await expectExample(answer)
})

describe('shows the connections of the agent that the token acts for, and no other', () => {
  test.each(Object.entries(tokens))('%s: the base agent', async (_, rootToken) => {
    const ids = idsOf((await api.get(path, { token: rootToken })).body)
    expect(ids).toEqual(expect.arrayContaining([base.connectionId, base.silentConnectionId]))
    for (const id of [...all, acme.connectionId]) expect(ids).not.toContain(id)
  })
})

describe('filters', () => {
  test.each([
    ['state=completed', all.slice(0, 2)],
    ['state=abandoned', all.slice(2)],
    ['state=start', []],
    [`theirDid=${globex.theirDid}`, all.slice(0, 1)],
    [`theirDid=${globex.theirDid}&state=completed`, all.slice(0, 1)],
    [`theirDid=${globex.theirDid}&state=abandoned`, []],
    [`outOfBandId=${globex.outOfBandId}&theirDid=${globex.theirDid}&state=completed`, all.slice(0, 1)],
    [`outOfBandId=${randomUUID()}`, []],
    ['theirDid=did:peer:4zQmNobody', []],
    ['theirLabel=Wallet', all],
    [`theirLabel=Wallet&theirDid=${globex.theirDid}`, all.slice(0, 1)],
    ['theirLabel=wallet', []],
    ['alias=Wallet', []],
  ])('%s', async (query, ids) => {
    const { status, body } = await api.get(`${path}?${query}`, { token })
    expect({ status, ids: idsOf(body) }).toEqual({ status: 200, ids })
  })

  test.each([
    ['state=ready', ['state']],
    ['state=', ['state']],
    ['theirDid=alice', ['theirDid']],
    ['myDid=alice', ['myDid']],
    ['alias=&theirLabel=', ['alias', 'theirLabel']],
    ['outOfBandId=a%2Fb', ['outOfBandId']],
    ['outOfBandId=a%7Cb&state=no&theirDid=no&limit=0', ['outOfBandId', 'state', 'theirDid', 'limit']],
    ['state=completed&state=completed', ['state']],
    ['limit=1001', ['limit']],
    ['order=newest', ['order']],
    ['cursor=%00', ['cursor']],
  ])('but not %s: 400', async (query, fields) => {
    expectMalformed(await api.get(`${path}?${query}`, { token }), 'query', fields)
  })
})

describe('gives a page at a time', () => {
  test.each([1, 2])('of %i, and the Link header leads through all of them', async (limit) => {
    const pages = await followPages(`${path}?limit=${limit}`, token)
    expect(pages).toHaveLength(Math.ceil(all.length / limit))
    expect(idsOf(pages.flat())).toEqual(all)
  })

  test('the newest first, with a filter, too', async () => {
    expect(idsOf((await followPages(`${path}?limit=1&order=desc`, token)).flat())).toEqual(all.toReversed())
    const filtered = await followPages(`${path}?limit=1&order=desc&state=completed`, token)
    expect(idsOf(filtered.flat())).toEqual(all.slice(0, 2).toReversed())
  })
})
