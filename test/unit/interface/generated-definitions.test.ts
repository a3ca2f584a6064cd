/** What the schema of presentation definitions takes is compared with what Credo takes, which is what most wallets run. */
import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { PresentationDefinition } from '../../../lib/interface/presentation-definition.ts'
import { credoTakes, PATHS } from '../../support/wallets/presentation-definitions.ts'

describe('generated definitions', () => {
  /** Mostly valid parts: a definition is accepted only if all of its parts are valid. */
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

  const keywords = {
    type: mostly(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'], ['text', ['string']]),
    format: mostly(['date', 'date-time', 'uuid'], ['x']),
    pattern: mostly(['^a$', '\\d+', '[a-z]{2}'], ['(', '(?=a)']),
    const: mostly<unknown>(['a', 1], [null, {}]),
    enum: mostly<unknown>([['a', 1], [1]], [[], ['a', 'a'], [true]]),
    minimum: mostly<unknown>([1, 0.5], [null, '2020-1-1']),
    minLength: mostly([0, 1], [-1, 1.5]),
    not: mostly<object>(
      [{ const: 'a' }, { type: 'string' }, { enum: ['a'] }, { not: { contains: { const: true } } }],
      [{}, { type: 7 }, { enum: [] }, { anyOf: [] }],
    ),
  }
  const filter1 = some({ ...keywords, exclusiveMaximum: mostly<unknown>([1, '2020-01-01'], [[]]) }, ['type'])
  const filter2 = some({
    ...keywords,
    format: fc.constant('date'),
    const: mostly<unknown>(['a', true], [null]),
    contains: mostly<object>([{ const: 'a' }, {}, { items: { pattern: 'a' } }], [{ minimum: '2020-01-01' }]),
    items: mostly<object>([{ type: 'string' }, { not: { minLength: 1 } }], [{ type: [] }, []]),
    formatMinimum: mostly(['2020-01-01'], ['2020', '2020-01-01T00:00:00Z']),
  })
  const optionality = mostly(['required', 'preferred'], ['maybe'])
  const anyField = (filter: fc.Arbitrary<unknown>) =>
    some(
      {
        id: mostly(['f', 'g', 'h', 'k'], ['']),
        path: list(mostly(PATHS, ['a'])),
        purpose: mostly(['p'], ['']),
        filter,
        predicate: mostly(['preferred'], ['required']),
      },
      ['path'],
    )
  const version2Field = fc.tuple(
    anyField(filter2),
    some({ optional: fc.boolean(), name: fc.constant('n'), intent_to_retain: fc.boolean() }),
  )
  const constraints = (fields: fc.Arbitrary<unknown>) =>
    some({
      limit_disclosure: mostly(['preferred'], ['required']),
      fields: list(fields),
      subject_is_issuer: optionality,
      same_subject: list(
        some({ field_id: list(fc.constantFrom('f', 'g')), directive: optionality }, ['field_id', 'directive']),
      ),
      statuses: mostly<object>(
        [{ active: { directive: 'allowed' } }, { revoked: { directive: 'allowed' } }],
        [{}, { active: {} }, { active: { directive: 'required' } }],
      ),
    })
  const formats = some(
    {
      ldp_vp: mostly([{ proof_type: ['Ed25519Signature2018'] }], [{ proof_type: ['BbsBlsSignature2020'] }]),
      ldp_vc: fc.constant({ proof_type: ['Ed25519Signature2018'] }),
      jwt_vc: mostly([{ alg: ['EdDSA'] }], [{ alg: [] }]),
      di_vc: fc.constant({ proof_type: ['DataIntegrityProof'], cryptosuite: ['eddsa-2022'] }),
      'vc+sd-jwt': fc.constantFrom({}, { 'sd-jwt_alg_values': ['EdDSA'] }),
    },
    ['ldp_vp'],
  )
  const shared = {
    name: mostly(['n'], ['']),
    purpose: mostly(['p'], ['']),
  }
  /** With requirements, every descriptor has a group that one of them takes from. */
  const grouping = fc.option(
    fc.record({
      group: mostly([['A'], ['A', 'B']], [[]]),
      requirements: list(
        fc.oneof(
          some({ rule: fc.constant('all'), from: mostly(['A'], ['C']) }, ['rule', 'from']),
          some(
            {
              rule: mostly(['pick'], ['x', 'all']),
              from: mostly(['A'], ['B']),
              count: mostly([1, 2], [0]),
              min: mostly([0], [-1]),
            },
            ['rule', 'from'],
          ),
        ),
      ),
    }),
    { nil: undefined },
  )
  const schema = list(
    some({ uri: mostly(['https://example.org/a', 'urn:a:b'], ['a', '']), required: fc.boolean() }, ['uri']),
  )
  const descriptor1 = some({ ...shared, schema, constraints: constraints(anyField(filter1)) }, ['schema'])
  const descriptor2 = some({
    ...shared,
    format: formats,
    constraints: constraints(version2Field.map(([base, more]) => ({ ...base, ...more }))),
  })
  const grouped = (
    made: Record<string, unknown>,
    { group, requirements }: { group: string[]; requirements: readonly object[] },
  ) => ({
    ...made,
    submission_requirements: requirements,
    input_descriptors: Array.isArray(made.input_descriptors)
      ? made.input_descriptors.map((descriptor) => ({ ...descriptor, group }))
      : undefined,
  })
  const definition = (descriptor: fc.Arbitrary<Record<string, unknown>>) =>
    some(
      {
        id: mostly(['d'], ['']),
        name: mostly(['n'], ['']),
        format: formats,
        input_descriptors: list(descriptor).map((all) => all.map((given, index) => ({ id: `i${index}`, ...given }))),
      },
      ['id', 'input_descriptors'],
    ).chain((made) => grouping.map((given) => (given === undefined ? made : grouped(made, given))))

  test.each([
    ['version 1', definition(descriptor1)],
    ['version 2', definition(descriptor2)],
  ])('of %s that the schema takes, Credo takes too', (_, definitions) => {
    let taken = 0
    fc.assert(
      fc.property(definitions, (made) => {
        const given: unknown = JSON.parse(JSON.stringify(made))
        const read = v.safeParse(PresentationDefinition, given)
        if (!read.success) return
        taken += 1
        expect(credoTakes(read.output)).toBe(true)
      }),
      { numRuns: 1500 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})
