import { describe, expect, test } from 'vitest'
import { evaluateField, unsatisfiedConstraints } from '../../../lib/presentation-exchange/constraints.ts'
import type { Constraints, Field } from '../../../lib/presentation-exchange/definition-schema.ts'
import { Work, WorkLimitError } from '../../../lib/presentation-exchange/work.ts'

const ada = 'did:key:ada'
const bob = 'did:key:bob'
const credential = {
  type: ['VerifiableCredential', 'Degree'],
  issuer: { id: 'did:key:university' },
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: ada, degree: 'Bachelor', age: 17, verified: { age: 20 } },
}

const evaluate = (field: Field, document: unknown = credential) => evaluateField(field, document, new Work())

describe('a field', () => {
  test('is satisfied by a claim that is there', () => {
    expect(evaluate({ path: ['$.credentialSubject.degree'] })).toEqual({
      satisfied: true,
      matches: [{ claim: { kind: 'single', value: 'Bachelor' }, location: ['credentialSubject', 'degree'] }],
    })
  })

  test.each<[string, boolean, Field]>([
    ['not by one that is absent', false, { path: ['$.credentialSubject.name'] }],
    ['by one that passes the filter', true, { path: ['$.credentialSubject.age'], filter: { maximum: 17 } }],
    ['not by one that does not', false, { path: ['$.credentialSubject.age'], filter: { minimum: 18 } }],
    ['by its second path when the first leads nowhere', true, { path: ['$.name', '$.credentialSubject.degree'] }],
    [
      'by its second path when the value at the first does not pass',
      true,
      { path: ['$.credentialSubject.age', '$.credentialSubject.verified.age'], filter: { minimum: 18 } },
    ],
    ['by one of several values', true, { path: ['$.type[*]'], filter: { const: 'Degree' } }],
    ['not by an array for its elements', false, { path: ['$.type'], filter: { const: 'Degree' } }],
    ['by an array that contains', true, { path: ['$.type'], filter: { contains: { const: 'Degree' } } }],
    ['by nothing when it is optional', true, { path: ['$.name'], optional: true }],
    [
      'not by a value that does not pass, optional or not',
      false,
      { path: ['$.credentialSubject.age'], filter: { minimum: 18 }, optional: true },
    ],
    [
      'not by one that does not pass at its first path and is absent at its second',
      false,
      { path: ['$.credentialSubject.age', '$.age'], filter: { minimum: 18 }, optional: true },
    ],
    ['not by what a prototype has', false, { path: ['$.credentialSubject.constructor'] }],
    ['not with an invalid path', false, { path: ['$[?(@.a)]'], optional: true }],
  ])('is satisfied %s', (_, satisfied, field) => {
    expect(evaluate(field).satisfied).toBe(satisfied)
  })

  test('with a predicate is satisfied by the filter, and not by a boolean that stands for it', () => {
    const field: Field = { path: ['$.age'], filter: { type: 'integer', minimum: 18 }, predicate: 'preferred' }
    expect(evaluate(field, { age: 18 }).satisfied).toBe(true)
    expect(evaluate(field, { age: true }).satisfied).toBe(false)
  })

  test('selects only the values that pass', () => {
    expect(evaluate({ path: ['$.type[*]'], filter: { pattern: 'D' } }).matches.map(({ claim }) => claim.value)).toEqual(
      ['Degree'],
    )
  })

  test('is not satisfied by a search that was given up', () => {
    expect(() => evaluateField({ path: ['$..name'], optional: true }, credential, new Work(50))).toThrow(WorkLimitError)
  })
})

const unmet = (constraints: Constraints, document: unknown = credential, signer = ada) =>
  unsatisfiedConstraints(constraints, { credential: document, signer }, new Work())

const degree: Field = { id: 'degree', path: ['$.credentialSubject.degree', '$.credentialSubject[*].degree'] }
const name: Field = { id: 'name', path: ['$.credentialSubject.name', '$.credentialSubject[*].name'], optional: true }
const family = {
  ...credential,
  credentialSubject: [
    { id: ada, degree: 'Bachelor' },
    { id: bob, name: 'Bob' },
  ],
}

describe('constraints', () => {
  test('of none are met', () => {
    expect(unmet({})).toEqual([])
  })

  test('name the fields that are not satisfied', () => {
    const fields: Field[] = [degree, { path: ['$.a'] }, { path: ['$.credentialSubject.age'], filter: { const: 1 } }]
    expect(unmet({ fields })).toEqual(['fields.1', 'fields.2'])
  })

  test('need nothing for what is preferred or allowed', () => {
    const relation = { field_id: ['degree'], directive: 'preferred' as const }
    const constraints = {
      fields: [degree],
      is_holder: [relation],
      same_subject: [relation],
      subject_is_issuer: 'preferred' as const,
      limit_disclosure: 'preferred' as const,
      statuses: { active: { directive: 'allowed' } },
    }
    expect(unmet(constraints, credential, bob)).toEqual([])
  })
})

describe('is_holder', () => {
  const isHolder = (ids: string[], document: unknown, signer: string) =>
    unmet({ fields: [degree, name], is_holder: [{ field_id: ids, directive: 'required' }] }, document, signer)

  test('is met when the subject signed', () => {
    expect(isHolder(['degree'], credential, ada)).toEqual([])
  })

  test('is not met if another signer signed', () => {
    expect(isHolder(['degree'], credential, bob)).toEqual(['is_holder.0'])
  })

  test('looks at the subject that the claim is about', () => {
    expect(isHolder(['degree'], family, ada)).toEqual([])
    expect(isHolder(['name'], family, ada)).toEqual(['is_holder.0'])
    expect(isHolder(['name'], family, bob)).toEqual([])
    expect(isHolder(['degree', 'name'], family, ada)).toEqual(['is_holder.0'])
  })

  test('is not met by a subject without an id', () => {
    expect(isHolder(['degree'], { credentialSubject: { degree: 'Bachelor' } }, ada)).toEqual(['is_holder.0'])
  })

  test('says nothing of an optional claim that is absent', () => {
    expect(isHolder(['name'], credential, bob)).toEqual([])
  })

  test('is not met by a claim about the whole credential unless all subjects signed', () => {
    const fields: Field[] = [{ id: 'date', path: ['$.issuanceDate'] }]
    const constraints: Constraints = { fields, is_holder: [{ field_id: ['date'], directive: 'required' }] }
    expect(unmet(constraints, credential, ada)).toEqual([])
    expect(unmet(constraints, family, ada)).toEqual(['is_holder.0'])
  })

  test('takes the place of a claim in another list than that of the subjects for no subject', () => {
    const fields: Field[] = [{ id: 'type', path: ['$.type[*]'], filter: { const: 'Degree' } }]
    const constraints: Constraints = { fields, is_holder: [{ field_id: ['type'], directive: 'required' }] }
    expect(unmet(constraints, family, bob)).toEqual(['is_holder.0'])
  })

  test('is not met by a field that does not exist', () => {
    expect(isHolder(['nobody'], credential, ada)).toEqual(['is_holder.0'])
  })
})

describe('same_subject', () => {
  const sameSubject = (document: unknown) =>
    unmet({ fields: [degree, name], same_subject: [{ field_id: ['degree', 'name'], directive: 'required' }] }, document)

  test('is met by claims about one subject', () => {
    expect(sameSubject({ credentialSubject: { id: ada, degree: 'Bachelor', name: 'Ada' } })).toEqual([])
  })

  test('is not met by claims about two', () => {
    expect(sameSubject(family)).toEqual(['same_subject.0'])
  })

  test('is not met by a subject without an id', () => {
    expect(sameSubject({ credentialSubject: { degree: 'Bachelor', name: 'Ada' } })).toEqual(['same_subject.0'])
  })

  test('says nothing of an optional claim that is absent', () => {
    expect(sameSubject(credential)).toEqual([])
    const same_subject = [{ field_id: ['name'], directive: 'required' as const }]
    expect(unmet({ fields: [name], same_subject })).toEqual([])
  })
})

describe('subject_is_issuer', () => {
  const selfIssued = (document: unknown) => unmet({ subject_is_issuer: 'required' }, document)

  test.each<[string, unknown]>([
    ['an issuer that is an address', { issuer: ada, credentialSubject: { id: ada } }],
    ['an issuer with more to it', { issuer: { id: ada, name: 'Ada' }, credentialSubject: [{ id: ada }] }],
    ['subjects that are addresses', { issuer: ada, credentialSubject: ada }],
  ])('is met by %s', (_, document) => {
    expect(selfIssued(document)).toEqual([])
  })

  test.each<[string, unknown]>([
    ['another issuer', credential],
    ['one other subject', { issuer: ada, credentialSubject: [{ id: ada }, { id: bob }] }],
    ['a subject without id', { issuer: ada, credentialSubject: {} }],
    ['neither', {}],
    ['no credential', null],
  ])('is not met by %s', (_, document) => {
    expect(selfIssued(document)).toEqual(['subject_is_issuer'])
  })
})
