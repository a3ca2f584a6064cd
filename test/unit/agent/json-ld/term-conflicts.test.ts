/** Contexts in which a term has two meanings, also within the types of a context, where it is text until it is used. */
import { expect, test } from 'vitest'
import { findTermConflict } from '../../../../lib/agent/formats/json-ld/term-conflicts.ts'

const OWN = 'urn:own'
const OTHER = 'urn:other'

const conflictOf = (own: object, other: object) => {
  const documents: Record<string, object> = { 'urn:first': {}, [OWN]: own, [OTHER]: other }
  const load = async (documentUrl: string) => ({ documentUrl, document: { '@context': documents[documentUrl] } })
  return findTermConflict(Object.keys(documents), load)
}

const degree = 'https://example.org/degree'
/** A type within which these terms are defined. */
const scoped = (name: string, terms: object) => ({
  [name]: { '@id': `https://example.org/${name}`, '@context': terms },
})
const within = (types: number, terms: object): object =>
  types === 0 ? terms : scoped(`T${types}`, within(types - 1, terms))

test.each([0, 1, 2, 3])('a term of another context is redefined within %i types', async (types) => {
  expect(await conflictOf({ degree }, within(types, { degree: 'https://example.org/other' }))).toEqual({
    ...{ address: OTHER, term: 'degree' },
  })
  expect(await conflictOf({ degree }, within(types, { degree }))).toBeUndefined()
})

test('a protected term is redefined, within a type too', async () => {
  const own = { '@version': 1.1, '@protected': true, degree }
  for (const types of [0, 1])
    expect(await conflictOf(own, within(types, { degree: 'https://example.org/other' }))).toEqual({
      ...{ address: OTHER, term: '@protected' },
    })
})

test.each([1, 2, 3])('a term within %i types means something else by a prefix of a later context', async (types) => {
  const own = within(types, { grade: { '@id': 'late:grade' } })
  expect(await conflictOf(own, { late: 'https://example.org/' })).toEqual({ address: OWN, term: 'grade' })
})

test.each<[string, object, object?]>([
  ['another type', { '@type': '@id' }],
  ['another container', { '@container': '@list' }],
  ['another language', { '@language': 'en' }],
  ['no language, where a default would apply', { '@language': null }],
  ['another direction', { '@direction': 'rtl' }],
  ['another nest', { '@nest': '@nest' }],
  ['another index', { '@container': '@index', '@index': 'https://example.org/at' }, { '@container': '@index' }],
  ['another context', { '@context': { grade: 'https://example.org/grade' } }],
  ['a use as a prefix', { '@id': 'https://example.org/', '@prefix': true }, { '@id': 'https://example.org/' }],
])('a term with the same IRI is redefined by %s, and by the lack of it', async (_, part, without = {}) => {
  const [one, other] = [part, without].map((more) => ({ '@version': 1.1, degree: { '@id': degree, ...more } }))
  if (one === undefined || other === undefined) throw new Error('two definitions')
  const conflict = { address: OTHER, term: 'degree' }
  expect([await conflictOf(one, other), await conflictOf(other, one)]).toEqual([conflict, conflict])
  expect(await conflictOf(one, one)).toBeUndefined()
})

test('the reverse of a property is another term', async () => {
  expect(await conflictOf({ degree }, { degree: { '@reverse': degree } })).toEqual({ address: OTHER, term: 'degree' })
})

test.each([
  ['@base', 'https://example.org/'],
  ['@language', 'en'],
  ['@direction', 'rtl'],
])('%s changes the meaning of other contexts', async (name, value) => {
  expect(await conflictOf({ degree }, { [name]: value })).toEqual({ address: OTHER, term: name })
})

test('a first vocabulary means what meant nothing before, and a second one something else', async () => {
  const [one, other] = ['https://example.org/', 'https://example.com/'].map((vocabulary) => ({ '@vocab': vocabulary }))
  if (one === undefined || other === undefined) throw new Error('two vocabularies')
  expect(await conflictOf({ degree }, one)).toBeUndefined()
  expect(await conflictOf(one, one)).toBeUndefined()
  expect(await conflictOf(one, other)).toEqual({ address: OTHER, term: '@vocab' })
})
