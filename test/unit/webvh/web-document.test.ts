/** The did:web of agents of this service: which it is, and which record has its document. */
import { afterEach, expect, test } from 'vitest'
import { settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { isOurWebDid, ourWebDocument, publishWebDocument, requireWebDocument } from '../../../lib/webvh/web-document.ts'
import { useTable } from '../store/use-table.ts'

await useTable({ memory: true, check: false })

const before = { ...settings() }
afterEach(() => {
  Object.assign(settings(), before)
})

test.each([
  ['did:web:agent.example.com:dev:web:acme', true],
  ['did:web:agent.example.com:dev:web:base', true],
  ['did:web:Agent.Example.com:dev:web:acme', true],
  ['did:web:agent.example.com:dev:webvh:acme', false],
  ['did:web:agent.example.com:web:acme', false],
  ['did:web:agent.example.com%3A8443:dev:web:acme', false],
  ['did:web:other.example.com:dev:web:acme', false],
  [`did:web:agent.example.com:dev:web:${'a'.repeat(65)}`, false],
])('%s is a DID of this service: %s', (did, isOurs) => {
  settings().PUBLIC_URL = 'https://agent.example.com/dev'
  expect(isOurWebDid(did)).toBe(isOurs)
})

test('a document is served of the agent that has published it, and of no other', async () => {
  await transaction('acme', async (unit) => publishWebDocument(unit, { did: 'did:web:a', document: '{}' }))
  expect(await requireWebDocument('acme')).toMatchObject({ did: 'did:web:a', document: '{}' })
  await expect(requireWebDocument('other')).rejects.toMatchObject({ code: 'resource.not_found' })
})

test('the document is that of the DID that the agent has created, not of a DID that it only knows', async () => {
  const did = 'did:web:agent.example.com:web:acme'
  for (const role of ['received', 'created'])
    await transaction('acme', async (unit) => {
      const value = { did, role, didDocument: { id: role }, createdAt: '2026-01-01T00:00:00.000Z' }
      expect(await ourWebDocument(unit, did)).toBeUndefined()
      unit.insert({ tenant: 'acme', type: 'DidRecord', id: role, value, tags: { did, role } })
    })
  expect(await transaction('acme', (unit) => ourWebDocument(unit, did))).toEqual({ id: 'created' })
  expect(await transaction('other', (unit) => ourWebDocument(unit, did))).toEqual({ id: 'created' })
  expect(await transaction('acme', (unit) => ourWebDocument(unit, `${did}x`))).toBeUndefined()
})
