/** Resources of a did:webvh, as hosts serve them: which are not valid. */
import { expect, test } from 'vitest'
import { canonicalJson } from '../../../lib/json.ts'
import { readResource } from '../../../lib/webvh/attested-resource.ts'

const PROOF = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  proofPurpose: 'assertionMethod',
  verificationMethod: 'did:webvh:Qm:example.com#key',
  proofValue: `z${'1'.repeat(199)}`,
}
const LINK = { id: 'did:webvh:Qm:example.com/resources/zQm', type: 'anonCredsStatusList', timestamp: 0 }
const RESOURCE = {
  type: ['AttestedResource'],
  id: 'did:webvh:Qm:example.com/resources/zQm',
  content: { name: 'degree' },
  links: Array(10_000).fill(LINK),
  proof: PROOF,
}

const read = (more: object) => readResource(JSON.stringify({ ...RESOURCE, ...more }))

test.each<[string, object]>([
  ['with as many links as there may be, and unknown members', { more: 1 }],
  ['of one type', { type: 'AttestedResource' }],
  ['without links', { links: undefined }],
  ['with nulls, and metadata that is not read', { links: null, metadata: 'none' }],
])('a resource is read %s', (_, more) => {
  expect(read(more)).toEqual(JSON.parse(JSON.stringify({ ...RESOURCE, ...more })))
})

test('a resource is read with a byte order mark', () => {
  expect(readResource(`\uFEFF${JSON.stringify(RESOURCE)}`)).toEqual(RESOURCE)
})

test.each<[string, object]>([
  ['of another type', { type: ['Other'] }],
  ['without an id', { id: '' }],
  ['with an id that is too long', { id: 'x'.repeat(4_097) }],
  ['without content', { content: undefined }],
  ['with too many links', { links: Array(10_001).fill(LINK) }],
  ['with a link of no place', { links: [{ ...LINK, id: '' }] }],
  ['with a link of a part of a second', { links: [{ ...LINK, timestamp: 1.5 }] }],
  ['with a link of a time before 1970', { links: [{ ...LINK, timestamp: -1 }] }],
  ['with a proof of another type', { proof: { ...PROOF, type: 'Ed25519Signature2020' } }],
  ['with a proof of another suite', { proof: { ...PROOF, cryptosuite: 'eddsa-rdfc-2022' } }],
  ['with a proof for another purpose', { proof: { ...PROOF, proofPurpose: 'authentication' } }],
  ['with a proof of no key', { proof: { ...PROOF, verificationMethod: '' } }],
  ['with a signature that is too long', { proof: { ...PROOF, proofValue: `${PROOF.proofValue}1` } }],
  ['with a signature in another base', { proof: { ...PROOF, proofValue: 'u1' } }],
  ['with a name of a prototype', { constructor: {} }],
])('what a host serves %s is not a resource', (_, more) => {
  expect(read(more)).toBeUndefined()
})

test('canonical JSON has names by their UTF-16 code units, and none without a value (RFC 8785)', () => {
  const value = { '\u{1f600}': 1, '\ufb33': 2, '\u20ac': 3, a: undefined, B: [null, { d: true, c: 1e21 }], 1: 'x\n' }
  expect(canonicalJson(value)).toBe('{"1":"x\\n","B":[null,{"c":1e+21,"d":true}],"\u20ac":3,"\u{1f600}":1,"\ufb33":2}')
})
