/** Names of one property in a document, and whether a verifier could distinguish their values. */
import { expect, test } from 'vitest'
import { findMergedTerms } from '../../../../lib/agent/formats/json-ld/merged-terms.ts'
import { newBudget } from '../../../../lib/agent/formats/json-ld/rdf.ts'

const EX = 'https://example.org/'
const TERMS = { ex: EX, a: 'ex:same', b: 'ex:same' }

const mergedIn = (context: object, document: object) =>
  findMergedTerms(
    { '@context': context, ...document },
    async () => Promise.reject(new Error('no context has an address')),
    newBudget(),
  )

const typed = (part: object) => ({ ...TERMS, b: { '@id': 'ex:same', ...part } })
/** Terms that only a type or a property has. */
const within = (terms: object) => ({
  ex: EX,
  T: { '@id': 'ex:T', '@context': terms },
  of: { '@id': 'ex:of', '@context': terms },
})

test.each<[string, object, object, object?]>([
  ['in one node', TERMS, { a: 1, b: 2 }],
  ['in a list further down', TERMS, { a: [1, { a: [{}, { a: '1', b: ['1', '2'] }] }] }],
  ['as terms and IRIs', TERMS, { [`${EX}same`]: 1, b: 2 }],
  ['as a term and with a prefix', TERMS, { 'ex:same': 1, b: 2 }],
  ['by a vocabulary', { '@vocab': EX, b: 'https://example.org/a' }, { a: 1, b: 2 }],
  ['one of which is always a list', typed({ '@container': '@set' }), { a: 1, b: 2 }],
  ['one of which has a type, which objects do not need', typed({ '@type': '@id' }), { a: 'urn:1', b: { c: 1 } }],
  ['within a type', { ...within({ a: 'ex:same', b: 'ex:same' }), type: '@type' }, { type: 'T', a: 1, b: 2 }],
  ['within a property', within({ a: 'ex:same', b: 'ex:same' }), { of: [{ a: 1, b: 2 }] }],
  ['by a context within a node', { ...TERMS, b: 'ex:other' }, { a: { '@context': TERMS, a: 1, b: 2 } }],
])('are found %s', async (_, context, document) => {
  expect((await mergedIn(context, document))?.at(-1)).toBe('b')
})

test.each<[string, object, object]>([
  ['in two nodes', TERMS, { a: [{ a: 1 }, { b: 2 }] }],
  ['with one value', TERMS, { a: 'A', b: ['A'] }],
  [
    'in two languages',
    { ...typed({ '@language': 'de' }), a: { '@id': 'ex:same', '@language': 'en' } },
    { a: 'A', b: 'B' },
  ],
  ['of which one is a list', typed({ '@container': '@list' }), { a: 'A', b: ['B'] }],
  ['of which one is the reverse', { ...TERMS, b: { '@reverse': 'ex:same' } }, { a: { id: 1 }, b: { id: 2 } }],
  ['of types', { type: '@type', kind: '@type' }, { type: 'urn:1', kind: 'urn:2' }],
  ['in JSON', { ...TERMS, json: { '@id': 'ex:json', '@type': '@json' } }, { json: { a: 1, b: 2 } }],
  ['that only a type would make so', within({ a: 'ex:same', b: 'ex:same' }), { 'ex:a': { a: 1, b: 2 } }],
])('are not merged %s', async (_, context, document) => {
  expect(await mergedIn({ '@version': 1.1, ...context }, document)).toBeUndefined()
})
