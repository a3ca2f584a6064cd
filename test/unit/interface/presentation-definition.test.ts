import 'reflect-metadata'
import { DifPresentationExchangeService } from '@credo-ts/core'
import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { PresentationDefinition, PresentationExchangeRequest } from '../../../lib/interface/presentation-definition.ts'

const faults = (input: unknown): string[] =>
  (v.safeParse(PresentationDefinition, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '')

/** Credo's own verdict; the engine behind it is what answers `createRequest`. */
const credoTakes = (definition: unknown): boolean => {
  try {
    const service: unknown = Reflect.construct(DifPresentationExchangeService, [])
    const { validatePresentationDefinition } = DifPresentationExchangeService.prototype
    Reflect.apply(validatePresentationDefinition, service, [structuredClone(definition)])
    return true
  } catch {
    return false
  }
}

const field = { path: ['$.credentialSubject.degree', '$.vc.credentialSubject.degree'], filter: { type: 'string' } }
const version1 = {
  id: 'd',
  input_descriptors: [
    {
      id: 'i',
      name: 'degree',
      schema: [{ uri: 'https://www.w3.org/2018/credentials/v1' }],
      constraints: { fields: [field] },
    },
  ],
}
const version2 = {
  id: 'd',
  name: 'Degree',
  purpose: 'To know',
  format: { ldp_vc: { proof_type: ['Ed25519Signature2018'] } },
  input_descriptors: [
    {
      id: 'i',
      format: { jwt_vc: { alg: ['EdDSA'] } },
      constraints: {
        limit_disclosure: 'required',
        statuses: { active: { directive: 'required' } },
        subject_is_issuer: 'preferred',
        fields: [{ ...field, id: 'f', optional: true, name: 'degree', predicate: 'preferred' }],
        is_holder: [{ field_id: ['f'], directive: 'required' }],
      },
    },
  ],
}
const withRequirements = {
  id: 'd',
  submission_requirements: [
    {
      rule: 'pick',
      count: 1,
      from_nested: [
        { rule: 'all', from: 'A' },
        { rule: 'pick', min: 1, from: 'B' },
      ],
    },
  ],
  input_descriptors: [
    { id: 'i', group: ['A'], schema: [{ uri: 'https://example.org/a' }] },
    { id: 'j', group: ['B'], schema: [{ uri: 'https://example.org/b' }] },
  ],
}

describe('a presentation definition', () => {
  test.each([
    ['version 1', version1],
    ['version 2', version2],
    ['nested submission requirements', withRequirements],
  ])('may be of %s, as for Credo', (_, definition) => {
    expect(faults(definition)).toEqual([])
    expect(v.parse(PresentationDefinition, definition)).toEqual(definition)
    expect(credoTakes(definition)).toBe(true)
  })

  const [descriptor] = version1.input_descriptors
  const withDescriptor = (changed: object) => ({ ...version1, input_descriptors: [{ ...descriptor, ...changed }] })
  const withField = (changed: object) => withDescriptor({ constraints: { fields: [{ ...field, ...changed }] } })

  test.each<[string, object, string]>([
    ['without id', { input_descriptors: [descriptor] }, 'id'],
    ['with an empty id', { ...version1, id: '' }, 'id'],
    ['without descriptors', { id: 'd' }, 'input_descriptors'],
    ['with no descriptor', { id: 'd', input_descriptors: [] }, 'input_descriptors'],
    ['with an unknown field', { ...version1, extra: 1 }, 'extra'],
    [
      'with a descriptor without id',
      { id: 'd', input_descriptors: [{ schema: [{ uri: 'x' }] }] },
      'input_descriptors.0.id',
    ],
    ['with descriptors of one id', { id: 'd', input_descriptors: [descriptor, descriptor] }, ''],
    ['with descriptors of both versions', { id: 'd', input_descriptors: [descriptor, { id: 'j' }] }, ''],
    ['with a schema that is no list', withDescriptor({ schema: { uri: 'x' } }), 'input_descriptors.0.schema'],
    ['with a format in a descriptor of version 1', withDescriptor({ format: { jwt: { alg: ['EdDSA'] } } }), ''],
    ['with an empty format', { ...version1, format: { ldp_vc: { proof_type: [] } } }, 'format.ldp_vc.proof_type'],
    ['with an unknown format', { ...version1, format: { pdf: {} } }, 'format.pdf'],
    ['with a field without path', withField({ path: [] }), 'input_descriptors.0.constraints.fields.0.path'],
    [
      'with a path that is none',
      withField({ path: ['credentialSubject'] }),
      'input_descriptors.0.constraints.fields.0.path.0',
    ],
    [
      'with a filter that is no object',
      withField({ filter: 'string' }),
      'input_descriptors.0.constraints.fields.0.filter',
    ],
    [
      'with a predicate and no filter',
      withDescriptor({ constraints: { fields: [{ path: ['$.a'], predicate: 'required' }] } }),
      'input_descriptors.0.constraints.fields.0',
    ],
    [
      'with an unknown optionality',
      withDescriptor({ constraints: { limit_disclosure: 'maybe' } }),
      'input_descriptors.0.constraints.limit_disclosure',
    ],
    [
      'with a requirement of neither group',
      { ...withRequirements, submission_requirements: [{ rule: 'all' }] },
      'submission_requirements.0',
    ],
    [
      'with a requirement of both groups',
      {
        ...withRequirements,
        submission_requirements: [{ rule: 'all', from: 'A', from_nested: [{ rule: 'all', from: 'A' }] }],
      },
      'submission_requirements.0',
    ],
    [
      'with an unknown rule',
      { ...withRequirements, submission_requirements: [{ rule: 'some', from: 'A' }] },
      'submission_requirements.0.rule',
    ],
    [
      'with a requirement of an unknown group',
      { ...withRequirements, submission_requirements: [{ rule: 'all', from: 'C' }] },
      '',
    ],
    [
      'with a holder of an unknown field',
      withDescriptor({ constraints: { fields: [field], is_holder: [{ field_id: ['x'], directive: 'required' }] } }),
      'input_descriptors.0.constraints',
    ],
    ['with an unknown algorithm', { ...version1, format: { jwt_vc: { alg: ['ROT13'] } } }, 'format.jwt_vc.alg.0'],
    [
      'with an unknown proof type',
      { ...version1, format: { ldp_vc: { proof_type: ['Wax'] } } },
      'format.ldp_vc.proof_type.0',
    ],
  ])('may not be %s', (_, definition, path) => {
    expect(faults(definition)).toContain(path)
  })

  test('that the schema takes, Credo takes too', () => {
    const text = fc.constantFrom('a', 'b', '')
    const optionality = fc.constantFrom('required', 'preferred', 'maybe')
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
    const aField = fc.record(
      {
        id: text,
        path: fc.array(fc.constantFrom('$.a', '$', '$..a', '$.a[0]', "$['a b']", '$.a[*]', 'a'), { maxLength: 2 }),
        purpose: text,
        filter: fc.constantFrom(
          { type: 'string' },
          { type: 'string', pattern: '^a$' },
          {},
          { type: 'number', minimum: 1 },
        ),
        predicate: optionality,
        optional: fc.boolean(),
      },
      { requiredKeys: ['path'] },
    )
    const constraints = fc.record(
      {
        limit_disclosure: optionality,
        fields: fc.array(aField, { maxLength: 2 }),
        subject_is_issuer: optionality,
        is_holder: fc.array(fc.record({ field_id: fc.array(text, { maxLength: 1 }), directive: optionality }), {
          maxLength: 1,
        }),
        statuses: fc.constantFrom({}, { active: {} }, { revoked: { directive: 'allowed' } }),
      },
      { requiredKeys: [] },
    )
    const aDescriptor = fc.record(
      {
        id: text,
        name: text,
        purpose: text,
        group: fc.array(text, { maxLength: 2 }),
        schema: fc.array(fc.record({ uri: fc.constantFrom('https://example.org/a', 'urn:a', 'a') }), { maxLength: 2 }),
        constraints,
      },
      { requiredKeys: ['id'] },
    )
    const definitions = fc.record({
      id: fc.constant('d'),
      input_descriptors: fc.array(aDescriptor, { minLength: 1, maxLength: 2 }),
      submission_requirements: optional(
        fc.array(fc.record({ rule: fc.constantFrom('all', 'pick'), from: text }), { minLength: 1, maxLength: 2 }),
      ),
      frame: optional(fc.constant({})),
    })
    let taken = 0
    fc.assert(
      fc.property(definitions, (given) => {
        const definition = JSON.parse(JSON.stringify(given))
        if (!v.is(PresentationDefinition, definition)) return
        taken += 1
        expect(credoTakes(definition)).toBe(true)
      }),
      { numRuns: 3000 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})

describe('a presentation exchange request', () => {
  test('has a definition, and may have a challenge and a domain', () => {
    const request = { presentationDefinition: version1, options: { challenge: 'c', domain: 'example.org' } }
    expect(v.parse(PresentationExchangeRequest, request)).toEqual(request)
    expect(v.is(PresentationExchangeRequest, { presentationDefinition: version1 })).toBe(true)
    expect(v.is(PresentationExchangeRequest, { options: {} })).toBe(false)
    expect(v.is(PresentationExchangeRequest, { ...request, options: { challenge: 7 } })).toBe(false)
  })
})
