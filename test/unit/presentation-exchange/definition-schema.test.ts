/** What a prover takes of another verifier's definition. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { ReceivedDefinition } from '../../../lib/presentation-exchange/definition-schema.ts'

const withField = (field: object, more: object = {}) => ({
  id: 'it',
  input_descriptors: [{ id: 'one', constraints: { fields: [{ path: ['$.a'], ...field }] }, ...more }],
})

/** As the test harness of the Open Wallet Foundation and ACA-Py write it. */
const HARNESS = {
  id: '32f54163-7166-48f1-93d8-ff217bdb0654',
  name: 'Citizenship',
  format: { ldp_vp: { proof_type: ['Ed25519Signature2018'] } },
  submission_requirements: [{ name: 'Citizenship', rule: 'pick', min: 1, from: 'A' }],
  input_descriptors: [
    {
      id: 'citizenship_input_1',
      name: 'EU Driver License',
      group: ['A'],
      schema: [
        { uri: 'https://www.w3.org/2018/credentials#VerifiableCredential' },
        { uri: 'https://w3id.org/citizenship#PermanentResidentCard' },
      ],
      constraints: {
        limit_disclosure: 'preferred',
        is_holder: [{ directive: 'required', field_id: ['1f44d55f-f161-4938-a659-f8026467f126'] }],
        fields: [
          {
            id: '1f44d55f-f161-4938-a659-f8026467f126',
            path: ['$.credentialSubject.familyName'],
            purpose: 'The claim must be from one of the specified issuers',
            filter: { const: 'SMITH', $schema: 'http://json-schema.org/draft-07/schema#', title: 'Name' },
          },
        ],
      },
    },
  ],
}

test('a definition in the form of other agents is accepted, without annotations', () => {
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, HARNESS)
  expect(descriptors[0]?.constraints?.fields?.[0]?.filter).toEqual({ const: 'SMITH' })
})

test.each(['not', 'contains', 'items'])('a filter within another is accepted: %s', (keyword) => {
  const filter = { [keyword]: { const: 1, title: 'One' } }
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, withField({ filter }))
  expect(descriptors[0]?.constraints?.fields?.[0]?.filter).toEqual({ [keyword]: { const: 1 } })
})

test('names, purposes and metadata are passed over, whatever they are', () => {
  const ignored = { name: 5, purpose: null, metadata: [], title: {} }
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, { ...withField(ignored, ignored), ...ignored })
  expect(descriptors).toEqual(v.parse(ReceivedDefinition, withField({})).input_descriptors)
})

test("ACA-Py's list of alternatives is a list of schemas", () => {
  const schema = { oneof_filter: [[{ uri: 'urn:a' }, { uri: 'urn:b' }], [{ uri: 'urn:c' }]] }
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, withField({}, { schema }))
  expect(descriptors[0]?.schema).toEqual([{ uri: 'urn:a' }, { uri: 'urn:b' }, { uri: 'urn:c' }])
})

test('a path with an expression is left out where there is another, which is followed', () => {
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, withField({ path: ['$[?(@.a)]', '$.b'] }))
  expect(descriptors[0]?.constraints?.fields?.[0]?.path).toEqual(['$.b'])
})

test.each(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])('the type %s is accepted', (type) => {
  expect(v.is(ReceivedDefinition, withField({ filter: { type } }))).toBe(true)
})

test.each([1, 'one', true, false])('the constant %j is accepted', (constant) => {
  expect(v.is(ReceivedDefinition, withField({ filter: { const: constant } }))).toBe(true)
})

test.each(['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples'])(
  'the keyword %s, which asserts nothing, is left out',
  (keyword) => {
    const filter = { const: 1, [keyword]: 'x' }
    const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, withField({ filter }))
    expect(descriptors[0]?.constraints?.fields?.[0]?.filter).toEqual({ const: 1 })
  },
)

describe('a definition has', () => {
  const list = <T>(length: number, one: (index: number) => T) => Array.from({ length }, (_, index) => one(index))
  const described = (more: object) => ({ id: 'it', input_descriptors: [{ id: 'one', ...more }] })
  const constrained = (constraints: object) => described({ constraints })
  const related = (field_id: string[]) => ({ directive: 'preferred', field_id })
  const proofTypes = (length: number) => ({ proof_type: list(length, (index) => `${index}`) })
  const required = (more: object) => ({ ...described({}), submission_requirements: [{ rule: 'all', ...more }] })
  const all = { rule: 'all', from: 'A' }

  test.each<[least: number, most: number, of: string, (number: number) => object]>([
    [1, 256, 'characters of its id', (number) => ({ ...described({}), id: 'x'.repeat(number) })],
    [1, 50, 'descriptors', (number) => ({ id: 'it', input_descriptors: list(number, (at) => ({ id: `${at}` })) })],
    [
      0,
      500,
      'paths',
      (number) =>
        constrained({
          fields: list(Math.ceil(number / 50), (at) => ({ path: Array(Math.min(50, number - at * 50)).fill('$.a') })),
        }),
    ],
    [1, 50, 'paths of a field', (number) => withField({ path: Array(number).fill('$.a') })],
    [3, 1024, 'characters of a path', (number) => withField({ path: [`$.${'a'.repeat(number - 2)}`] })],
    [0, 100, 'fields of a descriptor', (number) => constrained({ fields: list(number, () => ({ path: ['$.a'] })) })],
    [0, 50, 'relations to the holder', (number) => constrained({ is_holder: list(number, () => related([])) })],
    [0, 50, 'relations of subjects', (number) => constrained({ same_subject: list(number, () => related([])) })],
    [0, 50, 'fields of a relation', (number) => constrained({ is_holder: [related(list(number, (at) => `${at}`))] })],
    [1, 50, 'schemas', (number) => described({ schema: list(number, () => ({ uri: 'urn:a' })) })],
    [
      0,
      50,
      'alternative schemas',
      (number) => described({ schema: { oneof_filter: list(number, () => ({ uri: 'urn:a' })) } }),
    ],
    [0, 2048, 'characters of a schema', (number) => described({ schema: [{ uri: 'x'.repeat(number) }] })],
    [0, 50, 'groups of a descriptor', (number) => described({ group: list(number, (at) => `${at}`) })],
    [0, 50, 'types of proof', (number) => described({ format: { ldp: proofTypes(number) } })],
    [0, 50, 'types of proof of credentials', (number) => described({ format: { ldp_vc: proofTypes(number) } })],
    [0, 50, 'types of proof of presentations', (number) => described({ format: { ldp_vp: proofTypes(number) } })],
    [0, 50, 'requirements', (number) => ({ ...described({}), submission_requirements: list(number, () => all) })],
    [1, 50, 'requirements in one', (number) => required({ from_nested: list(number, () => all) })],
    [0, 1000, 'values of an enum', (number) => withField({ filter: { enum: list(number, (at) => at) } })],
    [
      0,
      512,
      'characters of a pattern',
      (number) => withField({ filter: { pattern: `${'a'.repeat(number % 6)}${'\\u0061'.repeat(number / 6)}` } }),
    ],
    [
      0,
      20,
      'patterns of 500 parts',
      (number) => constrained({ fields: list(number, () => ({ path: ['$.a'], filter: { pattern: 'a{500}' } })) }),
    ],
  ])('at least %i and at most %i %s', (least, most, _of, definition) => {
    const taken = [least, most].map((number) => v.is(ReceivedDefinition, definition(number)))
    expect(taken).toEqual([true, true])
    const outside = least === 0 ? [most + 1] : [least - 1, most + 1]
    for (const number of outside) expect(v.is(ReceivedDefinition, definition(number))).toBe(false)
  })

  test.each(['count', 'min', 'max'])('a number for %s that is whole and not below zero', (name) => {
    const taken = [0, 1, 1.5, -1].map((number) =>
      v.is(ReceivedDefinition, required({ rule: 'pick', from: 'A', [name]: number })),
    )
    expect(taken).toEqual([true, true, false, false])
  })

  test.each(['not', 'contains', 'items'])('no pattern within %s that looks back', (keyword) => {
    const filter = (pattern: string) => ({ [keyword]: { [keyword]: { pattern } } })
    const taken = ['(a)', '(a)\\1'].map((pattern) => v.is(ReceivedDefinition, withField({ filter: filter(pattern) })))
    expect(taken).toEqual([true, false])
  })

  test('a source for each requirement', () => {
    expect(v.is(ReceivedDefinition, required({}))).toBe(false)
  })
})

describe('rejects', () => {
  const nested = (depth: number): object => (depth === 0 ? { const: 1 } : { not: nested(depth - 1) })

  test.each<[string, object]>([
    ['a script in the only path', withField({ path: ["$[?(@.constructor.constructor('return process')())]"] })],
    ['a keyword that is not evaluated', withField({ filter: { allOf: [{ const: 'a' }] } })],
    ["a keyword that is a prototype's", withField({ filter: JSON.parse('{"const":"a","__proto__":{}}') })],
    ["a keyword that is a prototype's method", withField({ filter: { const: 'a', toString: 'x' } })],
    ['the same within another', withField({ filter: { not: { if: {} } } })],
    ['a pattern that would backtrack', withField({ filter: { pattern: '(a+)+\\1$' } })],
    [
      'patterns that are large together',
      {
        id: 'it',
        input_descriptors: Array.from({ length: 50 }, (_, index) => ({
          id: `${index}`,
          constraints: { fields: [{ path: ['$.a'], filter: { pattern: `${index}(a{400})` } }] },
        })),
      },
    ],
    [
      'more paths than 500',
      {
        id: 'it',
        input_descriptors: Array.from({ length: 50 }, (_, index) => ({
          id: `${index}`,
          constraints: { fields: Array.from({ length: 11 }, () => ({ path: ['$.a'] })) },
        })),
      },
    ],
    [
      'more descriptors than 50',
      { id: 'it', input_descriptors: Array.from({ length: 51 }, (_, index) => ({ id: `${index}` })) },
    ],
    ['two descriptors of one id', { id: 'it', input_descriptors: [{ id: 'a' }, { id: 'a' }] }],
    ['no descriptor', { id: 'it', input_descriptors: [] }],
    ['a filter that is not an object', withField({ filter: 'a' })],
    ['an enum that is not a list', withField({ filter: { enum: {} } })],
    ['nesting without an end', withField({ filter: nested(40) })],
    ['a value of a list where an object is due', { id: 'it', input_descriptors: [['a']] }],
    [
      'that a part of the credential be hidden',
      { id: 'it', input_descriptors: [{ id: 'a', constraints: { limit_disclosure: 'required' } }] },
    ],
    ['a proof of a predicate without its value', withField({ predicate: 'required', filter: { minimum: 1 } })],
    [
      'a requirement of two sources',
      {
        ...withField({}),
        submission_requirements: [{ rule: 'all', from: 'A', from_nested: [{ rule: 'all', from: 'A' }] }],
      },
    ],
  ])('%s', (_, definition) => {
    expect(v.is(ReceivedDefinition, definition)).toBe(false)
  })
})
