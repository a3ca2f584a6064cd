/** What a host serves of a did:webvh: its limits, and what the DID's key has not signed. */
import { expect, test } from 'vitest'
import { readDidDocument } from '../../../lib/agent/web/read-did-document.ts'
import { parseWebvhDid } from '../../../lib/webvh/did.ts'
import { documentOf, needsWitnessProofs, parseLog, parseWitnessProofs } from '../../../lib/webvh/log.ts'
import { HostKey, verifyOfHost, WebvhHost } from '../../support/anoncreds/webvh-host.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'

const PROOF = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  proofPurpose: 'assertionMethod',
  verificationMethod: 'did:key:z6Mk',
  proofValue: 'z1',
}

const sets = (count: number, proofs: number): string =>
  JSON.stringify(Array.from({ length: count }, () => ({ versionId: '1-Qm', proof: Array(proofs).fill(PROOF) })))

test.each([
  ['as soon as one entry has witnesses, whatever those after it say', true, { witness: { threshold: 1 } }, {}],
  ['where the last one has', true, {}, { witness: { threshold: 1 } }],
  ['not where none has', false, { witness: {} }, {}],
])('a log needs witness proofs %s', (_, needs, ...parameters) => {
  const log = parameters.map((those) => ({ parameters: those })) as Parameters<typeof needsWitnessProofs>[0]
  expect(needsWitnessProofs(log)).toBe(needs)
})

test('a file has 50 witness proofs at most, and fewer where each is verified for many entries', () => {
  expect(parseWitnessProofs(sets(2, 25), Array(20))).toHaveLength(2)
  expect(() => parseWitnessProofs(sets(3, 17), Array(1))).toThrow()
  expect(() => parseWitnessProofs(sets(1, 13), Array(77))).toThrow('too many witness proofs')
})

test('a log has 200 entries at most', () => {
  expect(() => parseLog('{}\n'.repeat(200))).toThrow(/^(?!.*too many entries)/)
  expect(() => parseLog('{}\n'.repeat(201))).toThrow('too many entries')
})

const ENTRY = {
  versionId: '1-Qm',
  versionTime: '2026-01-01T00:00:00Z',
  parameters: { method: 'did:webvh:1.0' },
  state: { id: 'did:webvh:Qm:example.com' },
  proof: Array(4).fill(PROOF),
}

test('an entry has four proofs at most', () => {
  expect(parseLog(JSON.stringify(ENTRY))).toEqual([ENTRY])
  expect(() => parseLog(JSON.stringify({ ...ENTRY, proof: Array(5).fill(PROOF) }))).toThrow('proof')
})

test.each<[string, object]>([
  ['type', { type: 'Ed25519Signature2020' }],
  ['cryptosuite', { cryptosuite: 'eddsa-rdfc-2022' }],
  ['proofPurpose', { proofPurpose: 'authentication' }],
  ['verificationMethod', { verificationMethod: 'did:web:example.com#key' }],
  ['proofValue', { proofValue: 'z'.repeat(201) }],
])('a proof of an entry, or of a witness, has no other %s', (name, other) => {
  const proof = [{ ...PROOF, ...other }]
  expect(() => parseLog(JSON.stringify({ ...ENTRY, proof }))).toThrow(`proof.0.${name}`)
  expect(() => parseWitnessProofs(JSON.stringify([{ versionId: '1-Qm', proof }]), [])).toThrow(`proof.0.${name}`)
})

test.each<[string, object]>([
  ['is of no version', { versionId: '0-Qm' }],
  ['is of a version without a hash', { versionId: '1' }],
  ['is of another method', { parameters: { method: 'did:webvh:0.5' } }],
  ['says no method', { parameters: {} }],
  ['is of no DID', { state: {} }],
  ['has no signature', { proof: [] }],
  ['has a text that takes long to decode', { parameters: { ...ENTRY.parameters, scid: 'z'.repeat(4097) } }],
])('a log is not valid if its first entry %s', (_, other) => {
  expect(() => parseLog(JSON.stringify({ ...ENTRY, ...other }))).toThrow()
})

test.each<[string, object]>([
  ['methods without a controller, as by two generators of the test suite', {}],
  ['another context', { '@context': ['https://www.w3.org/ns/did/v1', { '@base': 'did:web:a.example' }] }],
  ['nulls, which are hashed', { controller: null, keyAgreement: null }],
  ['a service that is not a list', { service: { id: '#a' } }],
  ['a long text that is not decoded', { service: [{ id: '#a', type: 'A', serviceEndpoint: 'a'.repeat(5_000) }] }],
])('a document is read unchanged, with %s', async (_, members) => {
  const host = await stopAtEnd(WebvhHost.start())
  const id = `did:webvh:{SCID}:localhost%3A${host.port}:alice`
  const didDocument = {
    ...{ '@context': 'https://www.w3.org/ns/did/v1', id },
    verificationMethod: [{ id: `${id}#key`, type: 'Multikey', publicKeyMultibase: new HostKey().multibase }],
    ...members,
  }
  const { did, log } = await host.issuer('alice', { didDocument })
  const parsed = parseWebvhDid(did)
  if (parsed === undefined) throw new Error(did)
  const text = JSON.stringify(log[0])
  const document = await documentOf(parsed, { log: parseLog(text), witnessProofs: [], verify: verifyOfHost })
  const { service = [], ...published } = JSON.parse(text).state
  expect(document).toMatchObject(published)
  if (Array.isArray(service)) expect(document).toMatchObject({ service: expect.arrayContaining(service) })
  else expect(document).toMatchObject({ service })
  expect(readDidDocument(document).didDocument.dereferenceKey(`${did}#key`).controller).toBe(did)
})

test('the first entry is what its versionId names: a host can change neither, though the proof is of both', async () => {
  const host = await stopAtEnd(WebvhHost.start())
  const { did, log } = await host.issuer('alice')
  const parsed = parseWebvhDid(did)
  if (parsed === undefined) throw new Error(did)
  const { scid } = parsed
  const [first] = log
  const read = (entry: object) =>
    documentOf(parsed, { log: parseLog(JSON.stringify(entry)), witnessProofs: [], verify: verifyOfHost })
  await expect(read(first)).resolves.toHaveProperty('id', did)
  const others = [
    { ...first, versionId: `1-${scid}` },
    { ...first, state: { ...first.state, controller: first.state.controller.replace(scid, '{SCID}') } },
  ]
  for (const other of others) await expect(read(other)).rejects.toThrow('that its versionId names')
})
