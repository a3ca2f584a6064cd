/** DIDs that a tenant makes or resolves: they tell nothing of other tenants, and take nothing from them. */
import { describe, expect, test } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { succeed } from '../support/tenants.ts'

const stage = await useStage({ delivers: false })
const caller = await createTenant(stage)
const other = await createTenant(stage)

test('what a DID resolves to does not tell whether, and when, another tenant has resolved it', async () => {
  const { did } = await succeed(stage, 'createDid', other, { body: { method: 'web' } })
  const first = await succeed(stage, 'resolveDid', await createTenant(stage), { path: { did } })
  expect(await succeed(stage, 'resolveDid', caller, { path: { did } })).toEqual(first)
  expect(first.didResolutionMetadata).toEqual({ contentType: 'application/did+ld+json' })
})

describe.each(['web', 'webvh'])('a did:%s is refused', (method) => {
  test.each([
    ['that is an address in hexadecimal numbers', '0x7f.1'],
    ['that is an address in one number', '2130706433'],
    ['that reads like an address of version 6', 'face'],
    ['with an invalid port', 'example.org%3A65536'],
    ['with an empty part', 'a..example.org'],
    ['with a part that is too long', `${'a'.repeat(64)}.org`],
    ['that is too long', `${'a.'.repeat(126)}org`],
    ['that leads to another folder', 'example.org:..:web'],
  ])('of a host %s', async (_, domain) => {
    const { status, body } = await stage.call('createDid', { caller, body: { method, domain } })
    expect([status, body.details?.[0].path]).toEqual([422, 'domain'])
  })
})

test('the same seed gives two tenants the same DID, and neither anything of the other', async () => {
  const third = await createTenant(stage)
  const body = { method: 'key', seed: '7'.repeat(32) }
  const { did } = await succeed(stage, 'createDid', other, { body })
  expect(await succeed(stage, 'getDids', third)).toEqual([])
  expect((await succeed(stage, 'createDid', third, { body })).did).toBe(did)
  expect(await succeed(stage, 'getDids', third)).toMatchObject([{ did }])
})

test.each(['peer', 'web'])(
  'of several concurrent requests for a did:%s of a seed, all get the same one',
  async (method) => {
    const own = await createTenant(stage)
    const call = () => stage.call('createDid', { caller: own, body: { method, seed: '8'.repeat(32) } })
    const answers = await Promise.all(Array.from({ length: 4 }, call))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.did)).size).toBe(1)
  },
)
