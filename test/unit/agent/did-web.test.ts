/** The document of a did:web: where it is read, and which are invalid. https://w3c-ccg.github.io/did-method-web/#read-resolve */
import { expect, test, vi } from 'vitest'

/** By their addresses. */
const { served } = vi.hoisted(() => ({ served: new Map<string, string>() }))

vi.mock('../../../lib/egress/post.ts', async (original) => ({
  ...(await original<object>()),
  get: async ({ url }: { url: string }) => ({
    ...{ status: served.has(url) ? 200 : 404, headers: {}, milliseconds: 1 },
    body: served.get(url) ?? '',
  }),
}))

const { resolveWebDid } = await import('../../../lib/agent/web/did-documents.ts')
const { unreadDocument } = await import('../../../lib/agent/web/documents.ts')
const { transaction } = await import('../../../lib/store/transaction.ts')

const resolve = (did: string) =>
  transaction('@base', async () => {
    const { didDocument } = await resolveWebDid(did, { id: did.slice('did:web:'.length) })
    return [didDocument?.id, unreadDocument()?.code]
  })

const document = (id: string, more: object = {}) =>
  JSON.stringify({ '@context': 'https://www.w3.org/ns/did/v1', id, ...more })

const METHOD = { id: '#key', type: 'JsonWebKey2020', controller: 'did:web:two.example' }

test.each([
  ['did:web:one.example', 'https://one.example/.well-known/did.json'],
  ['did:web:one.example%3A8443', 'https://one.example:8443/.well-known/did.json'],
  ['did:web:one.example:agents:one', 'https://one.example/agents/one/did.json'],
])('that of %s is at %s', async (did, address) => {
  served.set(address, document(did))
  expect(await resolve(did)).toEqual([did, undefined])
})

test('a document may begin with a byte order mark', async () => {
  served.set('https://two.example/.well-known/did.json', `\uFEFF${document('did:web:two.example')}`)
  expect(await resolve('did:web:two.example')).toEqual(['did:web:two.example', undefined])
})

test.each([
  ['of another DID', document('did:web:one.example'), undefined],
  ['that is a list', '[]', undefined],
  ['of 600 keys', document('did:web:two.example', { verificationMethod: Array(600).fill(METHOD) }), undefined],
  ['that is not JSON', '<html>', 'registry.unavailable'],
])('a document %s is invalid', async (_, text, code) => {
  served.set('https://two.example/.well-known/did.json', text)
  expect(await resolve('did:web:two.example')).toEqual([undefined, code])
})
