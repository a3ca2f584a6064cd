/** What a verifier reads of signed quads. */
import { CredoError } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { newBudget } from '../../../../lib/agent/formats/json-ld/rdf.ts'
import {
  assertClaimsWithinLimits,
  assertVerifiable,
  CREDENTIAL,
  PRESENTATION,
  readStatements,
  toClaims,
} from '../../../../lib/agent/formats/json-ld/signed-json.ts'
import { MAX_DEPTH } from '../../../../lib/json.ts'
import { toJson } from '../../../../lib/presentation-exchange/claims.ts'
import { MAX_LINEAR_MS, processorTime } from '../../../support/processor-time.ts'
import type { Json } from '../../../support/stage/in-process-stage.ts'

const toVerifierJson = async (...of: Parameters<typeof toClaims>): Promise<Json> =>
  toJson(await toClaims(...of)) as Json

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
const typed = (node: string, type: string, graph = '') => `<${node}> ${TYPE} <${type}> ${graph}.\n`

test('of two credentials in one document none is the document', async () => {
  const one = typed('urn:one', CREDENTIAL)
  expect((await readStatements(one, CREDENTIAL)).root['@id']).toBe('urn:one')
  await expect(readStatements(one + typed('urn:other', CREDENTIAL), CREDENTIAL)).rejects.toThrow('exactly one node')
  await expect(readStatements('', CREDENTIAL)).rejects.toThrow('exactly one node')
})

test('a presentation has credentials in graphs of their own, and a credential has none', async () => {
  const inGraph = typed('urn:inner', CREDENTIAL, '<urn:graph> ')
  expect((await readStatements(typed('urn:p', PRESENTATION) + inGraph, PRESENTATION)).root['@id']).toBe('urn:p')
  await expect(readStatements(typed('urn:c', CREDENTIAL) + inGraph, CREDENTIAL)).rejects.toThrow('named graphs')
})

test('a node with a name is shown once, however often it is named, and one without at each place', async () => {
  const showsAll = async (node: string): Promise<void> => {
    const named = Array.from({ length: 100 }, (_, n) => `<urn:c> <urn:names-${n}> ${node} .\n`)
    const quads = [typed('urn:c', CREDENTIAL), ...named, `${node} <urn:says> "${'x'.repeat(10_000)}" .\n`]
    assertClaimsWithinLimits(await readStatements(quads.join(''), CREDENTIAL), newBudget())
  }
  await showsAll('<urn:named>')
  await expect(showsAll('_:b0')).rejects.toThrow('refer to the same nodes too often')
})

test('a node that is the subject, and is named elsewhere, is shown as the subject', async () => {
  const SUBJECT = 'https://www.w3.org/2018/credentials#credentialSubject'
  const quads = [
    ...[typed('urn:c', CREDENTIAL), typed('urn:c', 'urn:Another'), typed('urn:c', 'https://a')],
    ...['<urn:c> <a:first> <urn:s> .\n', `<urn:c> <${SUBJECT}> <urn:s> .\n`, '<urn:s> <urn:says> "x" .\n'],
  ]
  const load = () => Promise.reject(new Error('nothing to load'))
  const json = await toVerifierJson(await readStatements(quads.join(''), CREDENTIAL), [], load, newBudget())
  expect(json).toMatchObject({ [SUBJECT]: { '@id': 'urn:s', 'urn:says': 'x' }, 'a:first': { '@id': 'urn:s' } })
  expect(Object(json['a:first'])).not.toHaveProperty('urn:says')
  expect(json['@type']).toEqual([CREDENTIAL, 'https://a', 'urn:Another'])
})

test.each([
  [MAX_DEPTH, true],
  [MAX_DEPTH + 1, false],
])('a chain of %i nodes below a credential is shown: %s', async (length, isShown) => {
  const chain = Array.from({ length }, (_, index) => `<urn:${index || 'c'}> <urn:has> <urn:${index + 1}> .\n`)
  const end = `<urn:${length}> <urn:says> "x" .\n`
  const statements = await readStatements([typed('urn:c', CREDENTIAL), ...chain, end].join(''), CREDENTIAL)
  const show = () => assertClaimsWithinLimits(statements, newBudget())
  if (isShown) expect(show).not.toThrow()
  else expect(show).toThrow(`more than ${MAX_DEPTH} nested nodes`)
})

test('nodes without a name that name each other are shown down to where they begin again', async () => {
  const quads = [
    ...[typed('urn:c', CREDENTIAL), '<urn:c> <urn:has> _:b0 .\n', '_:b0 <urn:has> _:b1 .\n'],
    ...['_:b1 <urn:has> _:b0 .\n', '_:b1 <urn:says> "x" .\n'],
  ]
  const load = () => Promise.reject(new Error('nothing to load'))
  const json = await toVerifierJson(await readStatements(quads.join(''), CREDENTIAL), [], load, newBudget())
  expect(json['urn:has']).toEqual({ 'urn:has': { 'urn:has': {}, 'urn:says': 'x' } })
})

const XSD = 'http://www.w3.org/2001/XMLSchema#'

/** What a verifier is shown of a typed text. */
const shown = async (text: string, type: string): Promise<unknown> => {
  const quads = `${typed('urn:c', CREDENTIAL)}<urn:c> <urn:says> "${text}"^^<${XSD}${type}> .\n`
  const load = () => Promise.reject(new Error('nothing to load'))
  return (await toVerifierJson(await readStatements(quads, CREDENTIAL), [], load, newBudget()))['urn:says']
}

test('a text is shown as a number or boolean only where XML Schema reads it as one', async () => {
  expect(await shown('-07', 'integer')).toBe(-7)
  expect(await shown('1.5E-7', 'double')).toBe(1.5e-7)
  expect(await shown('.5', 'double')).toBe(0.5)
  expect(await shown('1', 'boolean')).toBe(true)
  expect(await shown('false', 'boolean')).toBe(false)
  for (const [text, type] of [
    ['', 'integer'],
    ['0x10', 'integer'],
    ['1.0E0', 'integer'],
    ['12345678901234567890', 'integer'],
    ['1E400', 'double'],
    [' ', 'double'],
    ['0b1', 'double'],
    ['TRUE', 'boolean'],
    ['unknown', 'boolean'],
  ] as const)
    expect(await shown(text, type)).toEqual({ '@type': `${XSD}${type}`, '@value': text })
})

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

describe('an invalid JSON literal is an error of the document', () => {
  test.each([
    ['that is not JSON', '{'],
    ['that is too deep to be shown', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['with a name that libraries drop', '{"__proto__":{}}'],
    ['with a number that would be shown as null', '1e400'],
  ])('%s', async (_, json) => {
    const text = JSON.stringify(json)
    const quads = `${typed('urn:c', CREDENTIAL)}<urn:c> <urn:says> ${text}^^<${RDF}JSON> .\n`
    await expect(readStatements(quads, CREDENTIAL)).rejects.toThrow(CredoError)
  })
})

test.each([{}, { says: { '@id': 'urn:says', '@type': '@json' } }])(
  'names in JSON are those that were signed, in the terms %j',
  async (terms) => {
    const json = { '@value': 5, '@type': 'x', a: [{ '@value': true }, { '\0b': null }] }
    const text = JSON.stringify(JSON.stringify(json))
    const quads = `${typed('urn:c', CREDENTIAL)}<urn:c> <urn:says> ${text}^^<${RDF}JSON> .\n`
    const load = async (documentUrl: string) => ({ documentUrl, document: { '@context': terms } })
    const shown = await toVerifierJson(await readStatements(quads, CREDENTIAL), ['urn:terms'], load, newBudget())
    expect(shown).toMatchObject('says' in terms ? { says: json } : { 'urn:says': { '@type': '@json', '@value': json } })
  },
)

test('lists that are nested too deeply are an error of the document', async () => {
  const lists = Array.from({ length: 500 }, (_, n) => [
    `_:l${n} <${RDF}first> _:l${n + 1} .\n`,
    `_:l${n} <${RDF}rest> <${RDF}nil> .\n`,
  ])
  const quads = [typed('urn:c', CREDENTIAL), '<urn:c> <urn:says> _:l0 .\n', ...lists.flat()].join('')
  await expect(readStatements(quads, CREDENTIAL)).rejects.toThrow(CredoError)
})

test('the reason why a document cannot be shown is not cut within a character', async () => {
  const load = async (documentUrl: string) => ({
    documentUrl,
    document: { '@context': { ex: 'https://example.org/' } },
  })
  const reasonOf = async (length: number): Promise<string> => {
    const statements = await readStatements(
      typed(`ex:${'x'.repeat(length)}${'😀'.repeat(200)}`, CREDENTIAL),
      CREDENTIAL,
    )
    const shown = toVerifierJson(statements, ['https://example.org/v1'], load, newBudget())
    return shown.then(String, (error) => error.message)
  }
  const reasons = [await reasonOf(10), await reasonOf(11)]
  expect(reasons.map((reason) => reason.length)).toEqual([300, 300])
  expect(reasons.map((reason) => reason.isWellFormed())).toEqual([true, true])
})

test('an IRI that begins with a prefix of the terms is an error of the document', async () => {
  const context = { ex: 'https://example.org/' }
  const load = async (documentUrl: string) => ({ documentUrl, document: { '@context': context } })
  const shownBy = async (quads: string) =>
    toVerifierJson(await readStatements(quads, CREDENTIAL), ['https://example.org/v1'], load, newBudget())
  expect(await shownBy(typed('https://example.org/1', CREDENTIAL))).toMatchObject({ '@id': 'ex:1' })
  for (const quads of [typed('ex:1', CREDENTIAL), `${typed('urn:c', CREDENTIAL)}<urn:c> <ex:1> "" .\n`])
    await expect(shownBy(quads)).rejects.toThrow(CredoError)
})

test.each(['integer', 'double', 'boolean'])('a long text that is almost a number is read at once: %s', async (type) => {
  const text = `${'1'.repeat(180_000)}x`
  const spent = processorTime()
  expect(await shown(text, type)).toEqual({ '@type': `${XSD}${type}`, '@value': text })
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})

test('a credential has expired after either of its end dates, and if one is not a date', async () => {
  const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
  const isVerifiable = async (name: string, end: string): Promise<void> =>
    assertVerifiable(
      await readStatements(`${typed('urn:c', CREDENTIAL)}<urn:c> <${CREDENTIALS}${name}> ${end} .\n`, CREDENTIAL),
    )
  for (const name of ['expirationDate', 'validUntil']) {
    await isVerifiable(name, '"2999-01-01T00:00:00Z"')
    for (const end of ['"2020-01-01T00:00:00Z"', '"never"', '""', '<urn:never>'])
      await expect(isVerifiable(name, end)).rejects.toThrow('has expired')
  }
})
