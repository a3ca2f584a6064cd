/** What a context defines of what was signed. */
import { expect, test } from 'vitest'
import { definedTerms, definesAnyOf } from '../../../../lib/agent/formats/json-ld/context-documents.ts'

const DOCUMENTS: Record<string, object> = {
  'urn:base': { base: 'https://example.org/degree', other: 'https://example.org/other' },
  'urn:dependent': { degree: { '@id': 'base' } },
  'urn:vocabulary': { '@vocab': 'https://example.org/' },
  'urn:relative': { degree: { '@id': 'degree' } },
}
const load = async (documentUrl: string) => ({ documentUrl, document: { '@context': DOCUMENTS[documentUrl] } })

const defines = (contexts: unknown[], iri: string) => definesAnyOf(contexts, [iri], load)

test('a context defines its terms, and what begins with its vocabulary', async () => {
  expect(await defines(['urn:base'], 'https://example.org/degree')).toBe(true)
  expect(await defines(['urn:base'], 'https://example.org/name')).toBe(false)
  expect(await defines(['urn:base', 'urn:vocabulary'], 'https://example.org/name')).toBe(true)
})

test.each([
  ['a term', 'urn:base', 'urn:dependent'],
  ['the vocabulary', 'urn:vocabulary', 'urn:relative'],
])(
  'one that needs %s of another before it defines what it adds, and nothing else of that one',
  async (_, ...contexts) => {
    expect(await defines(contexts, 'https://example.org/degree')).toBe(true)
    expect(await defines(contexts, 'https://example.org/other')).toBe(false)
  },
)

test('an import has the terms of its document, whatever was at its address before', async () => {
  const importing = { '@version': 1.1, '@import': 'urn:terms' }
  const terms = (degree: string) =>
    definedTerms([importing], async (documentUrl) => ({ documentUrl, document: { '@context': { degree } } }))
  expect(await terms('urn:one')).toEqual(new Set(['urn:one']))
  expect(await terms('urn:other')).toEqual(new Set(['urn:other']))
})
