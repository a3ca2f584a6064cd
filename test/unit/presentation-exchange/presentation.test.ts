/** Whether a verified presentation has what the definition asks for, in the claim formats that it permits. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { JsonLiteral } from '../../../lib/presentation-exchange/claims.ts'
import type { ClaimFormats } from '../../../lib/presentation-exchange/definition-schema.ts'
import { Submission, unsatisfiedReason } from '../../../lib/presentation-exchange/presentation.ts'

const OURS = { proof_type: ['Ed25519Signature2018'] }
const OTHER = { proof_type: ['Ed25519Signature2020'] }

/** What is missing in a presentation with proofs of 2018 for the descriptor `one`. */
const missing = (ofDefinition: ClaimFormats, ofDescriptor?: ClaimFormats, others: { id: string }[] = []) =>
  unsatisfiedReason(
    { id: 'it', format: ofDefinition, input_descriptors: [{ id: 'one', format: ofDescriptor }, ...others] },
    { definition_id: 'it', descriptor_map: [{ id: 'one', format: 'ldp_vc', path: '$.verifiableCredential[0]' }] },
    {
      signer: 'did:key:holder',
      proofType: 'Ed25519Signature2018',
      credentials: [{ claims: {}, proofType: 'Ed25519Signature2018', schemaNames: new Set() }],
    },
  )

test.each<[string, ClaimFormats, ClaimFormats?]>([
  ['of the definition', { ldp_vc: OURS, ldp_vp: OURS }],
  ['of the definition and of the descriptor', { ldp_vc: OURS }, { ldp_vc: OURS }],
])('a presentation in the formats %s lacks nothing', (_, ofDefinition, ofDescriptor) => {
  expect(missing(ofDefinition, ofDescriptor)).toBeUndefined()
})

test('a presentation with a proof that the definition does not permit is rejected', () => {
  expect(missing({ ldp_vc: OURS, ldp_vp: OTHER })).toBe(
    'the definition does not permit the proof type of the presentation',
  )
})

test.each<[string, ClaimFormats, ClaimFormats?]>([
  ['the definition', { ldp_vc: OTHER, ldp_vp: OURS }],
  ['the definition, beside a descriptor that does,', { ldp_vc: OTHER, ldp_vp: OURS }, { ldp_vc: OURS }],
  ['the descriptor', { ldp_vc: OURS }, { ldp_vc: OTHER }],
])('a credential with a proof that %s does not permit is rejected', (_, ofDefinition, ofDescriptor) => {
  expect(missing(ofDefinition, ofDescriptor)).toBe('descriptor "one" is not met: format')
})

test.each([
  ['$.verifiableCredential', 1, undefined],
  ['$.verifiableCredential', 2, 'the path of descriptor "one" leads to no credential of the presentation'],
  ['$.verifiableCredential[1]', 2, undefined],
  ['$.proof[0]', 1, 'the path of descriptor "one" leads to no credential of the presentation'],
  ['$.verifiableCredential[0].id', 1, 'the path of descriptor "one" leads to no credential of the presentation'],
])('the path %s, of %d credentials, names: %s', (path, count, reason) => {
  const credential = { claims: {}, proofType: 'Ed25519Signature2018', schemaNames: new Set<string>() }
  const presented = { signer: 'did:key:holder', proofType: 'Ed25519Signature2018' }
  expect(
    unsatisfiedReason(
      { id: 'it', input_descriptors: [{ id: 'one' }] },
      { definition_id: 'it', descriptor_map: [{ id: 'one', format: 'ldp_vc', path }] },
      { ...presented, credentials: Array.from({ length: count }, () => credential) },
    ),
  ).toBe(reason)
})

test('a credential of another schema is rejected', () => {
  const credential = { claims: {}, proofType: 'Ed25519Signature2018', schemaNames: new Set(['urn:other']) }
  expect(
    unsatisfiedReason(
      { id: 'it', input_descriptors: [{ id: 'one', schema: [{ uri: 'urn:one' }] }] },
      { definition_id: 'it', descriptor_map: [{ id: 'one', format: 'ldp_vc', path: '$.verifiableCredential' }] },
      { signer: 'did:key:holder', proofType: 'Ed25519Signature2018', credentials: [credential] },
    ),
  ).toBe('descriptor "one" is not met: schema')
})

test('a submission maps at least one descriptor and at most 50, and nests paths once', () => {
  const entry = { id: 'one', format: 'ldp_vp', path: '$' }
  const nested = { format: 'ldp_vc', path: '$.verifiableCredential[0]' }
  const isTaken = (descriptor_map: object[]) => v.is(Submission, { definition_id: 'it', descriptor_map })
  expect([0, 1, 50, 51].map((length) => isTaken(Array(length).fill(entry)))).toEqual([false, true, true, false])
  expect(isTaken([{ ...entry, path_nested: nested }])).toBe(true)
  expect(isTaken([{ ...entry, path_nested: { ...nested, path_nested: nested } }])).toBe(false)
})

test('a presentation that takes too much work to compare is rejected', () => {
  const zeros = Array.from({ length: 100 }, () => 0).join(',')
  const path = [`$[${zeros}][${zeros}][${zeros}]`]
  expect(
    unsatisfiedReason(
      { id: 'it', input_descriptors: [{ id: 'one', constraints: { fields: [{ path }] } }] },
      { definition_id: 'it', descriptor_map: [{ id: 'one', format: 'ldp_vc', path: '$.verifiableCredential' }] },
      {
        ...{ signer: 'did:key:holder', proofType: 'Ed25519Signature2018' },
        credentials: [{ claims: new JsonLiteral([[[1]]]), proofType: 'Ed25519Signature2018', schemaNames: new Set() }],
      },
    ),
  ).toMatch(/work|too/)
})

test('a presentation without a credential for another descriptor is rejected', () => {
  expect(missing({ ldp_vc: OURS }, undefined, [{ id: 'two' }])).toBe(
    'the presentation does not satisfy the whole definition',
  )
})
