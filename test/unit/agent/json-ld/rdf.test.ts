/** What the RDF of documents may cost. */
import { expect, test } from 'vitest'
import { canonicalize, newBudget } from '../../../../lib/agent/formats/json-ld/rdf.ts'

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
