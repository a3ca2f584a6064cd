/** What the RDF of documents may cost. */
import { expect, test } from 'vitest'
import { canonicalize, newBudget, toQuads } from '../../../../lib/agent/formats/json-ld/rdf.ts'

test('blank nodes are hashed within the budget, and not once more', async () => {
  const quads = ['_:a <urn:names> _:b .\n', '_:b <urn:names> _:a .\n', '_:a <urn:says> "a" .\n'].join('')
  const { hashed: all } = newBudget()
  const budget = newBudget()
  await canonicalize(quads, budget)
  const needed = all - budget.hashed
  expect(needed).toBeGreaterThan(0)
  await canonicalize(quads, { ...newBudget(), hashed: needed })
  await expect(canonicalize(quads, { ...newBudget(), hashed: needed - 1 })).rejects.toThrow('can not be told apart')
})

test('a list states nothing beside its values', async () => {
  const values = Array.from({ length: 2_500 }, (_, index) => [`p${index}`, ['x']])
  const document = { '@context': { '@vocab': 'urn:' }, ...Object.fromEntries(values) }
  const quads = await toQuads(document, () => Promise.reject(new Error('not expected')), newBudget())
  expect(quads.match(/\n/g)).toHaveLength(2_500)
})
