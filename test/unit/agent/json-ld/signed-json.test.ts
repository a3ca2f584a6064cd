/** What a verifier reads of signed quads. */
import { expect, test } from 'vitest'
import { newBudget } from '../../../../lib/agent/formats/json-ld/rdf.ts'
import {
  assertShowable,
  CREDENTIAL,
  PRESENTATION,
  readStatements,
} from '../../../../lib/agent/formats/json-ld/signed-json.ts'

const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
const typed = (node: string, type: string, graph = '') => `<${node}> ${TYPE} <${type}> ${graph}.\n`

test('of two credentials in one document none is the document', async () => {
  const one = typed('urn:one', CREDENTIAL)
  expect((await readStatements(one, CREDENTIAL)).root['@id']).toBe('urn:one')
  await expect(readStatements(one + typed('urn:other', CREDENTIAL), CREDENTIAL)).rejects.toThrow('not exactly one node')
  await expect(readStatements('', CREDENTIAL)).rejects.toThrow('not exactly one node')
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
    assertShowable(await readStatements(quads.join(''), CREDENTIAL), newBudget())
  }
  await showsAll('<urn:named>')
  await expect(showsAll('_:b0')).rejects.toThrow('refer to the same nodes too often')
})
