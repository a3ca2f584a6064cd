/** What of a descriptor does not look into the credential: schema, claim formats, submission requirements. */
import { describe, expect, test } from 'vitest'
import { isSatisfiedBy, isVerifiable, matchesSchema, permits } from '../../../lib/presentation-exchange/definition.ts'
import type {
  ClaimFormats,
  InputDescriptor,
  SubmissionRequirement,
} from '../../../lib/presentation-exchange/definition-schema.ts'

describe('a schema matches', () => {
  const schemaNames = new Set([
    ...['https://www.w3.org/2018/credentials/v1', 'VerifiableCredential', 'Degree'],
    ...['https://example.org/Degree', 'https://example.org/schemas/degree.json'],
  ])
  const context = { uri: 'https://www.w3.org/2018/credentials/v1' }
  const other = { uri: 'https://example.org/other' }

  test.each<[string, boolean, InputDescriptor['schema']]>([
    ['when there is none', true, undefined],
    ['a context', true, [context]],
    ['a type', true, [{ uri: 'Degree' }]],
    ["a type's full IRI", true, [{ uri: 'https://example.org/Degree' }]],
    ['a credentialSchema', true, [{ uri: 'https://example.org/schemas/degree.json' }]],
    ['nothing else', false, [other]],
    ['no part of a URI', false, [{ uri: 'https://example.org/' }]],
    ['in the same case only', false, [{ uri: 'degree' }]],
    ['any of several', true, [other, context]],
    ['any of several that are not required', true, [{ ...other, required: false }, context]],
    [
      'all that are required',
      true,
      [
        { ...context, required: true },
        { uri: 'Degree', required: true },
      ],
    ],
    [
      'not one of two that are required',
      false,
      [
        { ...context, required: true },
        { ...other, required: true },
      ],
    ],
    ['the required one, whatever the other ones', true, [{ ...context, required: true }, other]],
    ['not another than the required one', false, [context, { ...other, required: true }]],
    ['not an empty list', false, []],
  ])('%s', (_, matches, schema) => {
    expect(matchesSchema(schema, { schemaNames })).toBe(matches)
  })
})

describe('claim formats', () => {
  const ours = { proof_type: ['Ed25519Signature2018'] }
  const others = { proof_type: ['BbsBlsSignature2020'] }

  test('permit everything when there are none', () => {
    expect(permits(undefined, 'ldp_vc', 'BbsBlsSignature2020')).toBe(true)
  })

  test('permit the proof types that they name', () => {
    expect(permits({ ldp_vc: ours }, 'ldp_vc', 'Ed25519Signature2018')).toBe(true)
    expect(permits({ ldp_vc: ours }, 'ldp_vc', 'Ed25519Signature2020')).toBe(false)
    expect(permits({ ldp: ours }, 'ldp_vp', 'Ed25519Signature2018')).toBe(true)
    expect(permits({ ldp: others, ldp_vc: ours }, 'ldp_vc', 'Ed25519Signature2018')).toBe(true)
  })

  test('leave free what they say nothing of, beside what they name', () => {
    expect(permits({ ldp_vp: ours }, 'ldp_vc', 'Ed25519Signature2020')).toBe(true)
    expect(permits({}, 'ldp_vc', 'Ed25519Signature2018')).toBe(false)
  })

  test.each<[boolean, ClaimFormats & Record<string, unknown>]>([
    [true, { ldp_vc: ours }],
    [true, { ldp_vp: ours }],
    [true, { ldp: ours }],
    [true, { ldp_vc: { proof_type: ['BbsBlsSignature2020', 'Ed25519Signature2020'] } }],
    [true, { ldp_vc: ours, jwt_vc: { alg: ['EdDSA'] } }],
    [false, {}],
    [false, { jwt_vc: { alg: ['EdDSA'] } }],
    [false, { di_vc: { proof_type: ['DataIntegrityProof'], cryptosuite: ['eddsa-2022'] } }],
    [false, { ldp_vc: others }],
    [false, { ldp_vc: ours, ldp_vp: others }],
  ])('can be verified (%s): %j', (verifiable, formats) => {
    expect(isVerifiable(formats)).toBe(verifiable)
  })
})

describe('without submission requirements', () => {
  const definition = { id: 'd', input_descriptors: [{ id: 'a' }, { id: 'b', group: ['B'] }] }

  test('all descriptors must be met', () => {
    expect(isSatisfiedBy(definition, new Set(['a', 'b']))).toBe(true)
    expect(isSatisfiedBy(definition, new Set(['a']))).toBe(false)
    expect(isSatisfiedBy(definition, new Set())).toBe(false)
  })
})

describe('a submission requirement', () => {
  const descriptors = [
    { id: 'a1', group: ['A'] },
    { id: 'a2', group: ['A'] },
    { id: 'a3', group: ['A', 'C'] },
    { id: 'b1', group: ['B'] },
    { id: 'c1', group: ['C'] },
  ]
  const all = (from: string): SubmissionRequirement => ({ rule: 'all', from })
  const nested = [all('A'), all('B'), { rule: 'pick', count: 1, from: 'C' } as const]

  test.each<[string, boolean, string[], SubmissionRequirement[]]>([
    ['all, of all', true, ['a1', 'a2', 'a3'], [all('A')]],
    ['all, of some', false, ['a1', 'a2'], [all('A')]],
    ['all, of other groups', false, ['b1', 'c1'], [all('A')]],
    ['pick, of one', true, ['a2'], [{ rule: 'pick', from: 'A' }]],
    ['pick, of none', false, ['b1'], [{ rule: 'pick', from: 'A' }]],
    ['count, exactly', true, ['a1', 'a2', 'b1'], [{ rule: 'pick', count: 2, from: 'A' }]],
    ['count, too few', false, ['a1'], [{ rule: 'pick', count: 2, from: 'A' }]],
    ['count, too many', false, ['a1', 'a2', 'a3'], [{ rule: 'pick', count: 2, from: 'A' }]],
    ['min, enough', true, ['a1', 'a2', 'a3'], [{ rule: 'pick', min: 2, from: 'A' }]],
    ['min, too few', false, ['a1'], [{ rule: 'pick', min: 2, from: 'A' }]],
    ['min 0, of none', true, [], [{ rule: 'pick', min: 0, from: 'A' }]],
    ['max, few enough', true, ['a1'], [{ rule: 'pick', max: 1, from: 'A' }]],
    ['max, too many', false, ['a1', 'a2'], [{ rule: 'pick', max: 1, from: 'A' }]],
    ['max, of none', false, [], [{ rule: 'pick', max: 1, from: 'A' }]],
    ['min and max', true, ['a1', 'a2'], [{ rule: 'pick', min: 1, max: 2, from: 'A' }]],
    ['count and min', false, ['a1'], [{ rule: 'pick', count: 1, min: 2, from: 'A' }]],
    ['several, all of them', true, ['a1', 'b1'], [{ rule: 'pick', from: 'A' }, all('B')]],
    ['several, one of them', false, ['a1'], [{ rule: 'pick', from: 'A' }, all('B')]],
    ['nested, all', true, ['a1', 'a2', 'a3', 'b1'], [{ rule: 'all', from_nested: nested }]],
    ['nested, all, one not', false, ['a1', 'a2', 'a3'], [{ rule: 'all', from_nested: nested }]],
    ['nested, pick', true, ['b1'], [{ rule: 'pick', count: 1, from_nested: nested }]],
    ['nested, pick, too many', false, ['b1', 'c1'], [{ rule: 'pick', count: 1, from_nested: nested }]],
  ])('%s: %s', (_, satisfied, met, requirements) => {
    const definition = { id: 'd', input_descriptors: descriptors, submission_requirements: requirements }
    expect(isSatisfiedBy(definition, new Set(met))).toBe(satisfied)
  })
})
