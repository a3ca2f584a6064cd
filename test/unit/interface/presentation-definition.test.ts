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

const [descriptor] = version1.input_descriptors
const withDescriptor = (changed: object) => ({ ...version1, input_descriptors: [{ ...descriptor, ...changed }] })
const withField = (changed: object) => withDescriptor({ constraints: { fields: [{ ...field, ...changed }] } })

const PATHS = [
  '$',
  '$.a',
  '$..a',
  '$.a.*',
  '$..*',
  '$[*]',
  '$.a[0]',
  '$.a[-1]',
  '$.a[0,1]',
  '$.a[1:]',
  '$.a[::2]',
  "$['a b']",
  '$["@context"][0]',
  "$['a','b']",
  "$..['a']",
  '$.0',
  'a',
]

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
})

describe('generated definitions', () => {
  /** Mostly what is valid: a definition is taken only when all of it is. */
  const mostly = <T>(valid: readonly T[], broken: readonly T[]) =>
    fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: fc.constantFrom(...broken) })
  const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T, required: (keyof T)[] = []) =>
    fc.record<Record<string, unknown>>(fields as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: required as string[],
    })
  const list = <T>(item: fc.Arbitrary<T>, length = 2) =>
    fc.oneof(
      { weight: 60, arbitrary: fc.array(item, { minLength: 1, maxLength: length }) },
      { weight: 1, arbitrary: fc.constant([]) },
    )

  const filter = some(
    {
      type: mostly(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'], ['text']),
      format: fc.constantFrom('date', 'x'),
      pattern: mostly(['^a$', '\\d+', '[a-z]{2}'], ['(']),
      const: mostly<unknown>(['a', 1], [true, null]),
      enum: mostly([['a', 1], [1]], [[]]),
      minimum: mostly<unknown>([1, 0.5], [null, '2020-01-01']),
      exclusiveMaximum: mostly<unknown>([1, '2020-01-01'], [[]]),
      minLength: mostly([0, 1], [-1, 1.5]),
      not: mostly<object>([{ const: 'a' }, { type: 'string' }, { enum: ['a'] }], [{}, { type: 7 }, { enum: [] }]),
    },
    ['type'],
  )
  const optionality = mostly(['required', 'preferred'], ['maybe'])
  const anyField = some(
    {
      id: mostly(['f', 'g', 'h', 'k'], ['']),
      path: list(mostly(PATHS.slice(0, -1), ['a'])),
      purpose: mostly(['p'], ['']),
      filter,
      predicate: optionality,
    },
    ['path'],
  )
  const version2Field = fc.tuple(
    anyField,
    some({ optional: fc.boolean(), name: fc.constant('n'), intent_to_retain: fc.boolean() }),
  )
  const constraints = (fields: fc.Arbitrary<unknown>) =>
    some({
      limit_disclosure: optionality,
      fields: list(fields),
      subject_is_issuer: optionality,
      same_subject: list(
        some({ field_id: list(fc.constantFrom('f', 'g')), directive: optionality }, ['field_id', 'directive']),
      ),
      statuses: mostly<object>(
        [{ active: { directive: 'required' } }, { revoked: { directive: 'allowed' } }],
        [{}, { active: {} }],
      ),
    })
  const formats = some({
    ldp_vc: fc.constant({ proof_type: ['Ed25519Signature2018'] }),
    jwt_vc: mostly([{ alg: ['EdDSA'] }], [{ alg: [] }]),
    di_vc: fc.constant({ proof_type: ['DataIntegrityProof'], cryptosuite: ['eddsa-2022'] }),
    'vc+sd-jwt': fc.constantFrom({}, { 'sd-jwt_alg_values': ['EdDSA'] }),
  })
  const shared = {
    name: mostly(['n'], ['']),
    purpose: mostly(['p'], ['']),
    group: fc.constantFrom(['A'], ['A', 'B'], []),
  }
  const schema = list(
    some({ uri: mostly(['https://example.org/a', 'urn:a:b'], ['a', '']), required: fc.boolean() }, ['uri']),
  )
  const descriptor1 = some({ ...shared, schema, constraints: constraints(anyField) }, ['schema'])
  const descriptor2 = some({
    ...shared,
    format: formats,
    constraints: constraints(version2Field.map(([base, more]) => ({ ...base, ...more }))),
  })
  const definition = (descriptor: fc.Arbitrary<Record<string, unknown>>, more: Record<string, fc.Arbitrary<unknown>>) =>
    some(
      {
        id: mostly(['d'], ['']),
        name: mostly(['n'], ['']),
        format: formats,
        submission_requirements: list(
          some(
            {
              rule: mostly(['all', 'pick'], ['x']),
              from: mostly(['A', 'B'], ['C']),
              count: mostly([1, 2], [0]),
              min: mostly([0], [-1]),
            },
            ['rule', 'from'],
          ),
        ),
        input_descriptors: list(descriptor).map((all) => all.map((given, index) => ({ id: `i${index}`, ...given }))),
        ...more,
      },
      ['id', 'input_descriptors'],
    )

  test.each([
    ['version 1', definition(descriptor1, {})],
    ['version 2', definition(descriptor2, { frame: fc.constantFrom({}, { '@context': 'https://example.org/' }) })],
  ])('of %s that the schema takes, Credo takes too', (_, definitions) => {
    let taken = 0
    fc.assert(
      fc.property(definitions, (given) => {
        if (!v.is(PresentationDefinition, given)) return
        taken += 1
        expect(credoTakes(given)).toBe(true)
      }),
      { numRuns: 1500 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})

describe('a path', () => {
  test.each(PATHS.slice(0, -1))('may be %s', (path) => {
    expect(faults(withField({ path: [path] }))).toEqual([])
  })

  test.each([
    '',
    'a',
    '$.',
    '$..',
    '$a',
    '$.a-b',
    '$.@context',
    '$[a]',
    '$.a[01]',
    '$.a[?(@.b)]',
    '$.a[(@.length-1)]',
    "$['a",
    '$[]',
    '$.a\n',
  ])('may not be %s', (path) => {
    expect(faults(withField({ path: [path] }))).toEqual(
      expect.arrayContaining(['input_descriptors.0.constraints.fields.0.path.0']),
    )
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
