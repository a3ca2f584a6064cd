/** Documents of third parties' did:web: whatever they contain, resolving them is no internal error. */
import { describe, expect, test, vi } from 'vitest'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { createTenant } from '../support/scenes.ts'
import { useStage } from '../support/stage/use-stage.ts'

/** By their addresses. They would be on hosts with certificates. */
const { served, statuses } = vi.hoisted(() => ({
  served: new Map<string, string>(),
  /** Of answers that have no document. */
  statuses: new Map<string, number>(),
}))

vi.mock('../../lib/egress/post.ts', async (original) => ({
  ...(await original<object>()),
  get: async ({ url }: { url: string }) => ({
    status: served.has(url) ? 200 : (statuses.get(url) ?? 404),
    headers: {},
    body: served.get(url) ?? '',
    milliseconds: 1,
  }),
}))

const stage = await useStage({ delivers: false })
const caller = await createTenant(stage)

let count = 0

/** Serves the document of a new did:web. */
const serve = (members: object): string => {
  const host = `mallory${++count}.example.org`
  const did = `did:web:${host}`
  served.set(
    `https://${host}/.well-known/did.json`,
    JSON.stringify({ '@context': 'https://www.w3.org/ns/did/v1', id: did, ...members }),
  )
  return did
}

const ODD: unknown[] = [
  ...[null, 5, 'x', true, {}, [null], [5], ['x'], [[]], [{}], [{ id: 5 }], [{ id: '#a', type: ['t'] }]],
  [{ id: '#a', type: 'Multikey', controller: 5, publicKeyMultibase: {} }],
  [{ id: '#a', type: 'did-communication', serviceEndpoint: { a: 1 }, recipientKeys: 'x', priority: {} }],
]

describe.each([
  '@context',
  'alsoKnownAs',
  'controller',
  'verificationMethod',
  'authentication',
  'keyAgreement',
  'service',
])('a document of an odd %s', (member) => {
  test('is answered or rejected', async () => {
    for (const odd of ODD) {
      const did = serve({ [member]: odd })
      const { status } = await stage.call('resolveDid', { caller, path: { did } })
      expect([200, 404, 422], JSON.stringify(odd)).toContain(status)
    }
  })

  test('makes no connection', async () => {
    for (const odd of ODD) {
      const did = serve({ [member]: odd })
      const { status } = await stage.call('receiveImplicitInvitation', { caller, body: { did } })
      expect(status, JSON.stringify(odd)).toBe(422)
    }
  })
})

test.each<[string, string]>([
  ['of another DID', '"id": "did:web:bank.example.org"'],
  ...[100, 1_000, 3_000, 10_000, 60_000].map((levels): [string, string] => [
    `that is nested ${levels} levels deep`,
    `"x": ${'['.repeat(levels)}${']'.repeat(levels)}`,
  ]),
  ['that reaches for a prototype', '"__proto__": {"service": []}, "constructor": 5, "toJSON": 5'],
])('a document %s is no failure', async (_, members) => {
  const did = serve({})
  const address = `https://${did.slice('did:web:'.length)}/.well-known/did.json`
  served.set(address, `${served.get(address)?.slice(0, -1)}, ${members}}`)
  const { status } = await stage.call('resolveDid', { caller, path: { did } })
  expect([200, 404, 422]).toContain(status)
  const connected = await stage.call('receiveImplicitInvitation', { caller, body: { did } })
  expect(connected.status).toBe(422)
})

describe.each([
  ['did:web:', '.well-known/did.json'],
  [`did:webvh:Qm${'1'.repeat(44)}:`, '.well-known/did.jsonl'],
])('a %s', (method, path) => {
  const resolve = (answer: number | string) => {
    const host = `host-${++count}.example.org`
    const address = `https://${host}/${path}`
    if (typeof answer === 'string') served.set(address, answer)
    else statuses.set(address, answer)
    return stage.call('resolveDid', { caller, path: { did: `${method}${host}` } })
  }

  test.each([404, 410])('whose host answers %i does not exist', async (status) => {
    expect((await resolve(status)).status).toBe(404)
  })

  test.each([401, 429, 500, 503, '<html>'])('whose host answers %s can be asked for again', async (answer) => {
    const { status, headers } = await resolve(answer)
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: expect.any(String) })
  })
})

test.each<[string, number, object]>([
  ['verification methods', 422, { verificationMethod: Array(80_000).fill({}) }],
  ['services of other kinds', 200, { service: Array(20_000).fill({ id: '#a' }) }],
  ['services', 422, { service: Array(5_000).fill({ type: 'did-communication', serviceEndpoint: 'x' }) }],
  [
    'recipient keys',
    422,
    { service: [{ id: '#a', type: 'did-communication', recipientKeys: Array(20_000).fill('#a') }] },
  ],
])('a document of thousands of %s is not looked at', async (_, expected, members) => {
  const did = serve(members)
  const cpu = processorTime()
  const { status } = await stage.call('resolveDid', { caller, path: { did } })
  expect(status).toBe(expected)
  expect(cpu()).toBeLessThan(MAX_LINEAR_MS)
})

const encoded = (json: string): string => Buffer.from(json).toString('base64url')

test.each([
  ['did:peer:2', `did:peer:2.Vz6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX.S${encoded('{"t":"\\ud800","s":""}')}`],
  [
    'did:jwk',
    `did:jwk:${encoded('{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"\\ud800"}')}`,
  ],
])('a %s with half a character is a 422: many clients can read no such JSON', async (_, did) => {
  expect(await stage.call('resolveDid', { caller, path: { did } })).toMatchObject({ status: 422 })
})
