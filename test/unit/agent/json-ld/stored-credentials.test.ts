/** The credentials of a wallet that may be presented. */
import { expect, test, vi } from 'vitest'
import { listCredentials, readCredential } from '../../../../lib/agent/formats/json-ld/stored-credentials.ts'
import { MAX_DEPTH } from '../../../../lib/json.ts'
import { currentUnit, transaction } from '../../../../lib/store/transaction.ts'

const HOUR = 60 * 60_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()

const stored = (id: string, credential: object = {}, tags: object = {}) => ({
  id,
  value: { credentialInstances: [{ credential: { proof: { type: 'Ed25519Signature2018' }, ...credential } }] },
  tags,
})

const listed = (...records: object[]) =>
  transaction('acme', () => {
    vi.spyOn(currentUnit(), 'find').mockResolvedValue(Object(records))
    return listCredentials(async () => ({}))
  })
const read = (record?: object) =>
  transaction('acme', () => {
    vi.spyOn(currentUnit(), 'read').mockResolvedValue(Object(record))
    return readCredential('id', async () => ({}))
  })

test('a credential has the schemas of its contexts, types, their IRIs and its own schemas', async () => {
  const tags = { types: ['t'], expandedTypes: ['urn:t'], schemaIds: ['urn:s'], subjectIds: ['did:me'] }
  const [credential] = await listed(stored('1', { '@context': ['c'] }, tags))
  expect(credential?.subjects).toEqual(['did:me'])
  expect([...(credential?.schemaNames ?? [])]).toEqual(['c', 't', 'urn:t', 'urn:s'])
})

test('the newest comes first, and expired credentials are left out, by either end date', async () => {
  const credentials = await listed(
    ...[stored('old'), stored('expired', { expirationDate: at(-HOUR) }), stored('ended', { validUntil: at(-HOUR) })],
    ...[stored('valid', { expirationDate: at(HOUR), validUntil: at(HOUR) }), stored('new')],
  )
  expect(credentials.map(({ id }) => id)).toEqual(['new', 'valid', 'old'])
})

const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) })

test.each([
  ['one of AnonCreds, whose proof is another', stored('1', { proof: { type: 'DataIntegrityProof' } })],
  ['one without a proof', { ...stored('1'), value: { credentialInstances: [{ credential: {} }] } }],
  ['one that is not JSON object', { ...stored('1'), value: { credentialInstances: [{ credential: 'eyJ' }] } }],
  ['one that is nested too deep', stored('1', { claim: nested(MAX_DEPTH + 1) })],
])('%s is not a JSON-LD credential', async (_, record) => {
  expect(await listed(record)).toEqual([])
  expect(await read(record)).toBeUndefined()
})

test('an expired one can be named', async () => {
  expect(await read(stored('1', { expirationDate: at(-HOUR) }))).toMatchObject({ id: '1' })
})
