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

test('a definition as other agents write it is taken, without what is for people', () => {
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, HARNESS)
  expect(descriptors[0]?.constraints?.fields?.[0]?.filter).toEqual({ const: 'SMITH' })
})

test.each(['not', 'contains', 'items'])('a filter within another is taken: %s', (keyword) => {
  const filter = { [keyword]: { const: 1, title: 'One' } }
  const { input_descriptors: descriptors } = v.parse(ReceivedDefinition, withField({ filter }))
  expect(descriptors[0]?.constraints?.fields?.[0]?.filter).toEqual({ [keyword]: { const: 1 } })
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

describe('refused is', () => {
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
    ['a filter that is no object', withField({ filter: 'a' })],
    ['a list of values that is none', withField({ filter: { enum: {} } })],
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
