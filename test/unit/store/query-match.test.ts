/** Which tags match which query: the rules of Credo's storages. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches, type TagQuery } from '../../../lib/store/index-entries.ts'
import type { Tags, TagValue } from '../../../lib/store/stored-record.ts'
import { queryOf, tagsOf } from './tag-queries.ts'

const TAGS: Tags = {
  state: 'done',
  role: 'prover',
  ready: true,
  hidden: false,
  keys: ['a', 'b'],
  none: [],
  gone: undefined,
  unset: null,
}

describe('a term', () => {
  test.each<[string, TagQuery, boolean]>([
    ['of the same text', { state: 'done' }, true],
    ['of another text', { state: 'open' }, false],
    ['of a part of the text', { state: 'don' }, false],
    ['of a tag that is not there', { threadId: 'x' }, false],
    ['of true', { ready: true }, true],
    ['of false', { hidden: false }, true],
    ['of the other boolean', { ready: false }, false],
    ['of a boolean in letters', { ready: 'true' }, false],
    ['of false for a tag that is not there', { threadId: false }, false],
    ['of all of a list', { keys: ['b', 'a'] }, true],
    ['of some of a list', { keys: ['b'] }, true],
    ['of nothing of a list', { keys: [] }, true],
    ['of nothing of an empty list', { none: [] }, true],
    ['of more than a list', { keys: ['a', 'c'] }, false],
    ['of a text for a list that holds it', { keys: 'a' }, false],
    ['of a list for a text', { state: ['done'] }, false],
    ['of a list for a tag that is not there', { threadId: ['x'] }, false],
    ['of null for a tag that is not there', { threadId: null }, true],
    ['of null for a tag that is undefined', { gone: null }, true],
    ['of null for a tag that is null', { unset: null }, true],
    ['of null for a tag that is set', { state: null }, false],
    ['of null for an empty list', { none: null }, false],
    ['of null for false', { hidden: null }, false],
    ['of undefined', { state: undefined, threadId: undefined }, true],
  ])('%s: %o should be %s', (_name, query, expected) => {
    expect(matches(TAGS, query)).toBe(expected)
  })
})

describe('a query', () => {
  test.each<[TagQuery, boolean]>([
    [{}, true],
    [{ state: 'done', role: 'prover' }, true],
    [{ state: 'done', role: 'verifier' }, false],
    [{ $and: [{ state: 'done' }, { role: 'prover' }] }, true],
    [{ $and: [{ state: 'done' }, { role: 'verifier' }] }, false],
    [{ $or: [{ state: 'open' }, { role: 'prover' }] }, true],
    [{ $or: [{ state: 'open' }, { role: 'verifier' }] }, false],
    [{ $not: { state: 'open' } }, true],
    [{ $not: { state: 'done' } }, false],
    [{ $not: { threadId: 'x' } }, true],
    [{ $not: { state: 'done', role: 'verifier' } }, true],
    [{ $not: { $not: { state: 'done' } } }, true],
    [{ role: 'prover', $or: [{ $not: { state: 'done' } }, { $and: [{ keys: ['b'] }] }] }, true],
    [{ role: 'verifier', $or: [{ state: 'done' }] }, false],
    [{ role: 'prover', $not: { $or: [{ state: 'open' }, { ready: true }] } }, false],
    [{ $and: [], $or: [] }, true],
  ])('%o should be %s', (query, expected) => {
    expect(matches(TAGS, query)).toBe(expected)
  })
})

/** The places of the records that a query finds: common to all of "and", to any of "or", and without those of "not". */
const find = (all: Tags[], { $and = [], $or = [], $not, ...terms }: TagQuery): number[] => {
  const places = [...all.keys()]
  const having = (name: string, wanted: TagValue) => places.filter((place) => has(all[place]?.[name], wanted))
  const every = [
    ...Object.entries(terms).map(([name, wanted]) => having(name, wanted as TagValue)),
    ...$and.map((part) => find(all, part)),
    ...($or.length === 0 ? [] : [$or.flatMap((part) => find(all, part))]),
  ]
  const never = $not === undefined ? [] : find(all, $not)
  return places.filter((place) => every.every((found) => found.includes(place)) && !never.includes(place))
}

const has = (value: TagValue, wanted: TagValue): boolean => {
  if (wanted === undefined) return true
  if (wanted === null) return (value ?? null) === null
  if (!Array.isArray(wanted)) return value === wanted
  return Array.isArray(value) && wanted.filter((one) => !value.includes(one)).length === 0
}

test('should match what a plain search through all records finds, whatever the query', () => {
  const names = ['state', 'ready', 'keys']
  fc.assert(
    fc.property(fc.array(tagsOf(names), { minLength: 1, maxLength: 8 }), queryOf(names), (records, query) => {
      const found = [...records.keys()].filter((place) => matches(records[place] ?? {}, query))
      expect(found).toEqual(find(records, query))
    }),
    { numRuns: 1_000 },
  )
})
