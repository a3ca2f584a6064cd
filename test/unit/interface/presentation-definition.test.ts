import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { PresentationDefinition, PresentationExchangeRequest } from '../../../lib/interface/presentation-definition.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'
import { credoTakes, PATHS } from '../../support/wallets/presentation-definitions.ts'

const violations = (input: unknown): string[] =>
  (v.safeParse(PresentationDefinition, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '')

const field = { path: ['$.credentialSubject.degree', '$.vc.credentialSubject.degree'], filter: { type: 'string' } }
const OURS = { proof_type: ['Ed25519Signature2018'] }
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
      format: { jwt_vc: { alg: ['EdDSA'] }, ldp: { proof_type: ['Ed25519Signature2018'] } },
      constraints: {
        limit_disclosure: 'preferred',
        statuses: { active: { directive: 'allowed' } },
        subject_is_issuer: 'required',
        fields: [{ ...field, id: 'f', optional: true, name: 'degree', predicate: 'preferred' }],
        is_holder: [{ field_id: ['f'], directive: 'required' }],
        same_subject: [{ field_id: ['f'], directive: 'required' }],
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
const withConstraints = (constraints: object) => ({ id: 'd', input_descriptors: [{ id: 'i', constraints }] })
const withFilter = (filter: object) => withConstraints({ fields: [{ path: ['$.a'], filter }] })
const D = 'input_descriptors.0'
const C = `${D}.constraints`
const F = `${C}.fields.0`
const atFilter = `${F}.filter`

describe('a presentation definition', () => {
  test.each([
    ['version 1', version1],
    ['version 2', version2],
    ['nested submission requirements', withRequirements],
  ])('may be of %s, as for Credo', (_, definition) => {
    expect(violations(definition)).toEqual([])
    expect(v.parse(PresentationDefinition, definition)).toEqual(definition)
    expect(credoTakes(definition)).toBe(true)
  })

  test.each<[string, object, string]>([
    ['without id', { input_descriptors: [descriptor] }, 'id'],
    ['with an empty id', { ...version1, id: '' }, 'id'],
    ['without descriptors', { id: 'd' }, 'input_descriptors'],
    ['with no descriptor', { id: 'd', input_descriptors: [] }, 'input_descriptors'],
    ['with an unknown field', { ...version1, extra: 1 }, 'extra'],
    ['with a descriptor without id', { id: 'd', input_descriptors: [{ schema: [{ uri: 'x' }] }] }, `${D}.id`],
    ['with descriptors of one id', { id: 'd', input_descriptors: [descriptor, descriptor] }, ''],
    ['with descriptors of both versions', { id: 'd', input_descriptors: [descriptor, { id: 'j' }] }, ''],
    ['with a schema that is not a list', withDescriptor({ schema: { uri: 'x' } }), `${D}.schema`],
    [
      'with a format in a descriptor of version 1',
      withDescriptor({ format: { ldp: { proof_type: ['Ed25519Signature2018'] } } }),
      `${D}.format`,
    ],
    ...['name', 'optional', 'intent_to_retain'].map((name): [string, object, string] => [
      `with a field of version 1 that has what came with version 2: ${name}`,
      withField({ [name]: name === 'name' ? 'it' : true }),
      `${F}.${name}`,
    ]),
    ['with an empty format', { ...version1, format: { ldp_vc: { proof_type: [] } } }, 'format.ldp_vc.proof_type'],
    ['with a format that is not an object', { ...version2, format: { ...version2.format, pdf: 'a' } }, 'format.pdf'],
    ['with only a format that is unknown', { ...version1, format: { pdf: {} } }, 'format'],
    ['with a field without path', withField({ path: [] }), `${F}.path`],
    ['with an invalid path', withField({ path: ['credentialSubject'] }), `${F}.path.0`],
    ['with a filter that is not an object', withField({ filter: 'string' }), atFilter],
    [
      'with a predicate and no filter',
      withDescriptor({ constraints: { fields: [{ path: ['$.a'], predicate: 'preferred' }] } }),
      F,
    ],
    [
      'with an unknown optionality',
      withDescriptor({ constraints: { limit_disclosure: 'maybe' } }),
      `${C}.limit_disclosure`,
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
      C,
    ],
    [
      'with a subject of an unknown field',
      withDescriptor({ constraints: { fields: [field], same_subject: [{ field_id: ['x'], directive: 'required' }] } }),
      C,
    ],
    [
      'with two fields of one id',
      withDescriptor({
        constraints: {
          fields: [
            { ...field, id: 'f' },
            { ...field, id: 'f' },
          ],
        },
      }),
      '',
    ],
    [
      'with a count of none',
      { ...withRequirements, submission_requirements: [{ rule: 'pick', count: 0, from: 'A' }] },
      'submission_requirements.0.count',
    ],
    ['with only a proof type that is unknown', { ...version1, format: { ldp_vc: { proof_type: ['Wax'] } } }, 'format'],
    [
      'with such a proof type of presentations, beside one of ours of credentials',
      { ...version1, format: { ldp_vc: OURS, ldp_vp: { proof_type: ['Wax'] } } },
      'format',
    ],
    ['with more of a format of ours', { ...version1, format: { ldp_vc: { ...OURS, alg: [] } } }, 'format.ldp_vc.alg'],
    ['with metadata that is not an object', withDescriptor({ metadata: 'a' }), `${D}.metadata`],
  ])('may not be %s', (_, definition, path) => {
    expect(violations(definition)).toContain(path)
  })
})

describe('what would not be enforced is rejected', () => {
  const required = { directive: 'required' }
  const formats = (changed: object) => ({ ...version2, ...changed })
  const grouped = (requirement: object, descriptors: object[]) => ({
    id: 'd',
    submission_requirements: [requirement],
    input_descriptors: descriptors,
  })
  const ofA = [{ id: 'i', group: ['A'] }]

  test.each<[string, object, string]>([
    ['a limit of disclosure', withConstraints({ limit_disclosure: 'required' }), `${C}.limit_disclosure`],
    ...['active', 'suspended', 'revoked'].flatMap((status) =>
      ['required', 'disallowed'].map((directive): [string, object, string] => [
        `a status: ${status} ${directive}`,
        withConstraints({ statuses: { [status]: { directive } } }),
        `${C}.statuses.${status}.directive`,
      ]),
    ),
    [
      'a predicate in place of a value',
      withConstraints({ fields: [{ path: ['$.a'], filter: { type: 'number', minimum: 1 }, predicate: 'required' }] }),
      `${F}.predicate`,
    ],
    [
      'a holder of no field',
      withConstraints({ is_holder: [{ field_id: [], ...required }] }),
      `${C}.is_holder.0.field_id`,
    ],
    [
      'one subject of no field',
      withConstraints({ same_subject: [{ field_id: [], ...required }] }),
      `${C}.same_subject.0.field_id`,
    ],
    ['an unknown constraint', withConstraints({ max_age: 1 }), `${C}.max_age`],
    ['a frame', formats({ frame: {} }), 'frame'],
    ['another format', formats({ format: { jwt_vc: { alg: ['EdDSA'] } } }), 'format'],
    ['another format of a mobile document', formats({ format: { mso_mdoc: { alg: ['ES256'] } } }), 'format'],
    ['another format with selective disclosure', formats({ format: { 'vc+sd-jwt': {} } }), 'format'],
    ['another proof type', formats({ format: { ldp_vc: { proof_type: ['BbsBlsSignature2020'] } } }), 'format'],
    ['no format', formats({ format: {} }), 'format'],
    [
      'another format of a descriptor',
      formats({ input_descriptors: [{ id: 'i', format: { jwt_vp: { alg: ['EdDSA'] } } }] }),
      `${D}.format`,
    ],
    [
      'a descriptor of no group beside submission requirements',
      grouped({ rule: 'all', from: 'A' }, [...ofA, { id: 'j' }]),
      'input_descriptors.1.group',
    ],
    [
      'a descriptor of a group that no requirement takes',
      grouped({ rule: 'all', from: 'A' }, [...ofA, { id: 'j', group: ['B'] }]),
      'input_descriptors.1.group',
    ],
    ['a count of all', grouped({ rule: 'all', count: 1, from: 'A' }, ofA), 'submission_requirements.0'],
    ['a max of all', grouped({ rule: 'all', max: 1, from: 'A' }, ofA), 'submission_requirements.0'],
    ['a min above the max', grouped({ rule: 'pick', min: 2, max: 1, from: 'A' }, ofA), 'submission_requirements.0'],
  ])('%s', (_, definition, path) => {
    expect(violations(definition)).toContain(path)
  })
})

describe('parts that are neither evaluated nor for wallets on Credo are ignored', () => {
  const sent = (definition: object) => {
    const read = v.parse(PresentationDefinition, definition)
    expect(credoTakes(read)).toBe(true)
    return JSON.parse(JSON.stringify(read))
  }
  const others = { 'dc+sd-jwt': {}, mso_mdoc: { alg: ['ES256'] }, jwt_vc: { alg: ['ROT13'] }, later: { a: [{ b: 1 }] } }

  test.each<[string, object]>([
    ['formats', others],
    ['a type of proof', { ldp_vp: { proof_type: ['Wax', ...OURS.proof_type] } }],
  ])('%s beside one of ours', (_, more) => {
    const format = { ldp_vc: OURS, jwt_vp: { alg: ['EdDSA'] } }
    const descriptor = { id: 'i', format }
    const known = 'ldp_vp' in more ? { ...format, ldp_vp: OURS } : format
    expect(
      sent({
        id: 'd',
        format: { ...format, ...more },
        input_descriptors: [{ id: 'i', format: { ...format, ...more } }],
      }),
    ).toEqual({ id: 'd', format: known, input_descriptors: [{ ...descriptor, format: known }] })
  })

  test.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ])('the draft %s and annotations of a filter, and of the filters in it', ($schema) => {
    const said = { $schema, title: 'a', description: 'b', $comment: 'c', default: { d: 1 }, examples: [1, 'e'] }
    const filter = { ...said, contains: { not: { const: 'a', ...said }, ...said }, items: { type: 'string', ...said } }
    const evaluated = { contains: { not: { const: 'a' } }, items: { type: 'string' } }
    expect(sent(withFilter(filter))).toEqual(withFilter(evaluated))
  })

  test('empty names and purposes, and metadata', () => {
    const empty = { name: '', purpose: '' }
    const [{ from_nested: nested, ...requirement } = { from_nested: [] }] = withRequirements.submission_requirements
    const definition = {
      ...withRequirements,
      ...empty,
      submission_requirements: [{ ...requirement, ...empty, from_nested: nested.map((one) => ({ ...one, ...empty })) }],
      input_descriptors: withRequirements.input_descriptors.map((one) => ({ ...one, ...empty, metadata: { a: [1] } })),
    }
    expect(sent(definition)).toEqual(withRequirements)
    expect(sent(withField(empty))).toEqual(version1)
  })
})

const FORMAT_BOUNDS = ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum']

describe('a filter', () => {
  test.each([
    { type: 'string' },
    { const: true },
    { const: 'a' },
    { const: 1 },
    { enum: ['a', 1] },
    { type: 'string', format: 'date', formatMinimum: '2020-01-01', formatMaximum: '2021-01-01' },
    { type: 'string', format: 'date', formatExclusiveMinimum: '2020-01-01' },
    { type: 'string', format: 'date-time', formatExclusiveMaximum: '2020-01-01T00:00:00Z' },
    { type: 'array', contains: { type: 'string', const: 'Degree' } },
    { type: 'array', items: { pattern: '^a$' } },
    { type: 'number', minimum: 1, exclusiveMaximum: 2 },
    { type: 'number', exclusiveMinimum: 1, maximum: 2 },
    { type: 'string', minLength: 1, maxLength: 2, not: { pattern: 'x' } },
    {},
  ])('of version 2 may be %j, as for Credo', (filter) => {
    expect(violations(withFilter(filter))).toEqual([])
    expect(credoTakes(withFilter(filter))).toBe(true)
  })

  test.each([
    { type: 'string', const: 'a' },
    { type: 'string', minimum: '2020-01-01', exclusiveMaximum: '2021-01-01T00:00:00Z' },
    { type: 'string', exclusiveMinimum: '2020-01-01', maximum: '2021-01-01T00:00:00Z' },
    { type: 'string', not: { contains: { const: true } } },
  ])('of version 1 may be %j, as for Credo', (filter) => {
    expect(violations(withField({ filter }))).toEqual([])
    expect(credoTakes(withField({ filter }))).toBe(true)
  })

  test.each<[object, string]>([
    [{ minimum: 1 }, 'type'],
    [{ type: 'boolean', const: true }, 'const'],
    [{ type: 'array', contains: {} }, 'contains'],
    [{ type: 'array', items: {} }, 'items'],
    ...FORMAT_BOUNDS.map((bound): [object, string] => [
      { type: 'string', format: 'date', [bound]: '2020-01-01' },
      bound,
    ]),
  ])('of version 1 may not be %j', (filter, keyword) => {
    expect(violations(withField({ filter }))).toContain(`${atFilter}.${keyword}`)
    expect(credoTakes(withField({ filter }))).toBe(false)
  })

  test.each<[object, string]>([
    ...['allOf', 'anyOf', 'oneOf', 'if', 'properties', 'required', 'additionalProperties', 'propertyNames', '$ref'].map(
      (keyword): [object, string] => [{ [keyword]: {} }, keyword],
    ),
    ...['minItems', 'maxItems', 'uniqueItems', 'multipleOf', 'prefixItems', 'dependentRequired', '$schema', '$id'].map(
      (keyword): [object, string] => [{ [keyword]: 1 }, keyword],
    ),
    ...['http://json-schema.org/draft-04/schema#', 'https://example.org/draft/2020-12/schema'].map(
      (draft): [object, string] => [{ $schema: draft }, '$schema'],
    ),
    [{ not: { $schema: 'x' } }, 'not.$schema'],
    [{ not: { title: 'a' } }, 'not'],
    [{ not: { anyOf: [] } }, 'not.anyOf'],
    [{ contains: { items: { odd: 1 } } }, 'contains.items.odd'],
    [{ not: {} }, 'not'],
    [{ type: 'text' }, 'type'],
    [{ type: ['string'] }, 'type'],
    [{ const: null }, 'const'],
    [{ const: {} }, 'const'],
    [{ enum: [] }, 'enum'],
    [{ enum: [true] }, 'enum.0'],
    [{ enum: ['a', 'a'] }, 'enum'],
    [{ format: 'regex' }, 'format'],
    [{ format: 'uri-reference' }, 'format'],
    [{ format: 'toString' }, 'format'],
    [{ minLength: -1 }, 'minLength'],
    [{ maxLength: 0.5 }, 'maxLength'],
    [{ minimum: Number.POSITIVE_INFINITY }, 'minimum'],
    [{ minimum: 'a' }, 'minimum'],
    [{ minimum: '2020-1-1' }, 'minimum'],
    [{ exclusiveMaximum: '2020-02-30' }, 'exclusiveMaximum'],
    [{ minimum: '2020-01-01' }, 'minimum'],
    [{ not: { maximum: '2020-01-01' } }, 'not.maximum'],
    ...FORMAT_BOUNDS.map((bound): [object, string] => [{ [bound]: '2020-01-01' }, bound]),
    [{ format: 'date', formatMinimum: '2020-01-01T00:00:00Z' }, 'formatMinimum'],
    [{ format: 'uuid', formatMaximum: '2020-01-01' }, 'formatMaximum'],
    [{ items: [{ type: 'string' }] }, 'items'],
    [{ pattern: '(' }, 'pattern'],
    [{ pattern: '(?=a)' }, 'pattern'],
    [{ pattern: '(a)\\1' }, 'pattern'],
    [{ pattern: '(?:a{100}){100}' }, 'pattern'],
    [{ pattern: 'a'.repeat(513) }, 'pattern'],
    [{ contains: { pattern: '(?<!a)' } }, 'contains.pattern'],
  ])('may not be %j', (filter, path) => {
    expect(violations(withFilter(filter))).toContain(`${atFilter}.${path}`)
  })

  test('says why its pattern is rejected', () => {
    const { issues = [] } = v.safeParse(PresentationDefinition, withFilter({ pattern: '(?=a)' }))
    expect(issues.map(({ message }) => message)).toEqual(['must not look ahead or behind'])
  })
})

describe('a huge definition is rejected at little cost', () => {
  const cpuMs = (act: () => unknown): number => {
    const spent = processorTime()
    act()
    return spent()
  }
  const nested = (levels: number): object => (levels === 0 ? { const: 1 } : { not: nested(levels - 1) })
  const requirement = (levels: number): object =>
    levels === 0 ? { rule: 'all', from: 'A' } : { rule: 'all', from_nested: [requirement(levels - 1)] }
  const many = (fields: number, field: object) => ({
    id: 'd',
    input_descriptors: Array.from({ length: 50 }, (_, index) => ({
      id: `i${index}`,
      constraints: { fields: Array.from({ length: fields }, () => field) },
    })),
  })

  test.each<[string, object]>([
    ['with too many paths', many(11, { path: ['$..a'] })],
    [
      'with too many paths of one field',
      withConstraints({ fields: [{ path: Array.from({ length: 51 }, () => '$') }] }),
    ],
    ['with patterns that are too large together', many(1, { path: ['$.a'], filter: { pattern: '[ab]{400}' } })],
    ['with a filter that is nested too deep', withFilter(nested(40))],
    [
      'with a requirement that is nested too deep',
      { id: 'd', submission_requirements: [requirement(30)], input_descriptors: [{ id: 'i', group: ['A'] }] },
    ],
    ['with an issuance that is nested too deep', withDescriptor({ issuance: [{ a: nested(40) }] })],
    [
      'with too many descriptors',
      { id: 'd', input_descriptors: Array.from({ length: 51 }, (_, id) => ({ id: `${id}` })) },
    ],
  ])('%s', (_, definition) => {
    expect(cpuMs(() => expect(violations(definition)).not.toEqual([]))).toBeLessThan(MAX_LINEAR_MS)
  })

  test('and one within the limits is accepted', () => {
    const definition = many(10, { path: ['$..a'], filter: { pattern: '^[a-z]{5}$' } })
    expect(cpuMs(() => expect(violations(definition)).toEqual([]))).toBeLessThan(MAX_LINEAR_MS)
  })
})

describe('a path', () => {
  test.each(PATHS)('may be %s', (path) => {
    expect(violations(withField({ path: [path] }))).toEqual([])
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
    '$..a..b',
    '$..*..*..*',
    '$[?(@.constructor)]',
    '$[?@.a]',
    '$.a[?true]',
  ])('may not be %s', (path) => {
    expect(violations(withField({ path: [path] }))).toEqual(expect.arrayContaining([`${F}.path.0`]))
  })
})

describe('a presentation exchange request', () => {
  const request = (contexts: unknown) => ({ presentationDefinition: version1, options: { contexts } })
  const requestViolations = (input: unknown): string[] =>
    (v.safeParse(PresentationExchangeRequest, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '')
  const address = 'https://example.org/degree/v1'
  const document = { '@context': { degree: 'https://example.org/degree' } }

  test('has a definition, and may have a challenge and a domain', () => {
    const given = { presentationDefinition: version1, options: { challenge: 'c', domain: 'example.org' } }
    expect(v.parse(PresentationExchangeRequest, given)).toEqual(given)
    expect(v.is(PresentationExchangeRequest, { presentationDefinition: version1 })).toBe(true)
    expect(v.is(PresentationExchangeRequest, { options: {} })).toBe(false)
    expect(v.is(PresentationExchangeRequest, { ...given, options: { challenge: 7 } })).toBe(false)
  })

  test.each<[string, object]>([
    ['one', { [address]: document }],
    ['one with other contexts in it', { [address]: { '@context': ['https://www.w3.org/2018/credentials/v1', {}] } }],
    ['one with more than a context', { [address]: { ...document, id: address } }],
    ['one by http or urn', { 'http://localhost:3000/v1': document, 'urn:example:degree': document }],
    ['ten', Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`urn:a:${index}`, document]))],
    [
      '128 KiB',
      { 'urn:a:b': { '@context': { a: 'x'.repeat(128 * 1024 - '{"urn:a:b":{"@context":{"a":""}}}'.length) } } },
    ],
  ])('may have contexts: %s', (_, contexts) => {
    expect(requestViolations(request(contexts))).toEqual([])
  })

  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

  test.each<[string, unknown, string]>([
    ['a list', [document], ''],
    ['eleven', Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`urn:a:${index}`, document])), ''],
    ['over 128 KiB', { 'urn:a:b': { '@context': { a: 'é'.repeat(64 * 1024) } } }, ''],
    ['no address', { degree: document }, '.degree'],
    ['an address of a file', { 'file:///etc/passwd': document }, '.file:///etc/passwd'],
    ['an address with spaces', { 'https://example.org/a b': document }, '.https://example.org/a b'],
    ['an address of over 2,048 characters', { [`urn:${'a'.repeat(2045)}`]: document }, `.urn:${'a'.repeat(2045)}`],
    ['a document without a context', { 'urn:a': {} }, '.urn:a.@context'],
    ['a document that is a list', { 'urn:a': [document] }, '.urn:a'],
    ['a document that is a text', { 'urn:a': 'https://example.org/' }, '.urn:a'],
    ['a context that is a text', { 'urn:a': { '@context': 'https://example.org/' } }, '.urn:a.@context'],
    ['a context that is null', { 'urn:a': { '@context': null } }, '.urn:a.@context'],
    ['an empty list of contexts', { 'urn:a': { '@context': [] } }, '.urn:a.@context'],
    ['a list with null', { 'urn:a': { '@context': [null] } }, '.urn:a.@context'],
    ['one nested over 32 deep', { 'urn:a': { '@context': nested(32) } }, '.urn:a'],
  ])('may not have contexts that are %s', (_, contexts, path) => {
    expect(requestViolations(request(contexts)).some((fault) => fault.startsWith(`options.contexts${path}`))).toBe(true)
  })
})

test.each([
  ...['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES256K', 'ES384', 'ES512', 'EdDSA'],
])('a format may name the algorithm %s', (alg) => {
  expect(violations({ ...version2, format: { ...version2.format, jwt_vc: { alg: [alg] } } })).toEqual([])
})

test.each([
  ...['Ed25519VerificationKey2018', 'Ed25519Signature2018', 'Ed25519Signature2020', 'RsaSignature2018'],
  ...['EcdsaSecp256k1Signature2019', 'EcdsaSecp256k1RecoverySignature2020', 'JsonWebSignature2020'],
  ...['GpgSignature2020', 'JcsEd25519Signature2020', 'BbsBlsSignature2020', 'Bls12381G2Key2020', 'DataIntegrityProof'],
])('a format may name the type of proofs %s', (type) => {
  expect(violations({ ...version2, format: { ldp_vc: { proof_type: ['Ed25519Signature2020', type] } } })).toEqual([])
})
