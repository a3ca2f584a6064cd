/** Whether a verified presentation is in the claim formats that the definition permits. */
import { expect, test } from 'vitest'
import type { ClaimFormats } from '../../../lib/presentation-exchange/definition-schema.ts'
import { shortcoming } from '../../../lib/presentation-exchange/presentation.ts'

const OURS = { proof_type: ['Ed25519Signature2018'] }
const OTHER = { proof_type: ['Ed25519Signature2020'] }

/** What is missing in a presentation with proofs of 2018. */
const missing = (ofDefinition: ClaimFormats, ofDescriptor?: ClaimFormats) =>
  shortcoming(
    { id: 'it', format: ofDefinition, input_descriptors: [{ id: 'one', format: ofDescriptor }] },
    { definition_id: 'it', descriptor_map: [{ id: 'one', format: 'ldp_vc', path: '$.verifiableCredential[0]' }] },
    {
      signer: 'did:key:holder',
      proofType: 'Ed25519Signature2018',
      credentials: [
        { json: {}, proofType: 'Ed25519Signature2018', contexts: [], types: [], typeIris: [], schemaIds: [] },
      ],
    },
  )

test.each<[string, ClaimFormats, ClaimFormats?]>([
  ['of the definition', { ldp_vc: OURS, ldp_vp: OURS }],
  ['of the definition and of the descriptor', { ldp_vc: OURS }, { ldp_vc: OURS }],
])('a presentation in the formats %s lacks nothing', (_, ofDefinition, ofDescriptor) => {
  expect(missing(ofDefinition, ofDescriptor)).toBeUndefined()
})

test('a presentation with a proof that the definition does not permit is refused', () => {
  expect(missing({ ldp_vc: OURS, ldp_vp: OTHER })).toBe('the definition permits no such presentation')
})

test.each<[string, ClaimFormats, ClaimFormats?]>([
  ['the definition', { ldp_vc: OTHER, ldp_vp: OURS }],
  ['the descriptor', { ldp_vc: OURS }, { ldp_vc: OTHER }],
])('a credential with a proof that %s does not permit is refused', (_, ofDefinition, ofDescriptor) => {
  expect(missing(ofDefinition, ofDescriptor)).toBe('descriptor "one" is not met: format')
})
