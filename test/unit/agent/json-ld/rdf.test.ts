/** What the RDF of documents may cost. */
import { expect, test } from 'vitest'
import { canonicalize, newBudget, toQuads } from '../../../../lib/agent/formats/json-ld/rdf.ts'

test('blank nodes are hashed within the budget, and not once more', async () => {
  const quads = ['_:a <urn:names> _:b .\n', '_:b <urn:names> _:a .\n', '_:a <urn:says> "a" .\n'].join('')
  const { hashes: all } = newBudget()
  const budget = newBudget()
  await canonicalize(quads, budget)
  const needed = all - budget.hashes
  expect(needed).toBeGreaterThan(0)
  await canonicalize(quads, { ...newBudget(), hashes: needed })
  await expect(canonicalize(quads, { ...newBudget(), hashes: needed - 1 })).rejects.toThrow('cannot be distinguished')
})

test('a list states nothing beside its values', async () => {
  const values = Array.from({ length: 2_500 }, (_, index) => [`p${index}`, ['x']])
  const document = { '@context': { '@vocab': 'urn:' }, ...Object.fromEntries(values) }
  const quads = await toQuads(document, () => Promise.reject(new Error('not expected')), newBudget())
  expect(quads.match(/\n/g)).toHaveLength(2_500)
})

test.each([
  ['quads', 'too many statements'],
  ['characters', 'long IRIs'],
] as const)('all documents together have as many %s as the budget, and not one more', async (limit, reason) => {
  const document = { '@context': { '@vocab': 'urn:' }, says: ['a', 'b'], '@id': 'urn:c' }
  const read = (budget: ReturnType<typeof newBudget>) =>
    toQuads(document, () => Promise.reject(new Error('not expected')), budget)
  const budget = newBudget()
  await read(budget)
  const needed = newBudget()[limit] - budget[limit]
  expect(needed).toBeGreaterThan(1)
  const twice = { ...newBudget(), [limit]: 2 * needed }
  await read(twice)
  await read(twice)
  await expect(read(twice)).rejects.toThrow(reason)
  await expect(read({ ...newBudget(), [limit]: needed - 1 })).rejects.toThrow(reason)
})

test('each document has as many values as the budget, and not one more', async () => {
  const document = { '@context': { '@vocab': 'urn:' }, '@id': 'urn:c', says: ['a', 'b'] }
  const read = (statements: number) =>
    toQuads(document, () => Promise.reject(new Error('not expected')), { ...newBudget(), statements })
  await read(3)
  await expect(read(2)).rejects.toThrow('too many statements')
})
