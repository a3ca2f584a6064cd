/** Tags and queries for property tests: few names and values, so that many of them match. */
import fc from 'fast-check'
import type { TagQuery } from '../../../lib/store/index-entries.ts'
import type { Tags, TagValue } from '../../../lib/store/stored-record.ts'

const text = fc.constantFrom('a', 'b', 'true')
const scalar: fc.Arbitrary<TagValue> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.constantFrom(true, false, null, undefined),
)
const list = fc.uniqueArray(text, { maxLength: 3 })
const value = fc.oneof(scalar, list)

/** Tags of these names, each missing, a text, a boolean, `null` or a list. */
export const tagsOf = (names: string[]): fc.Arbitrary<Tags> =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [], noNullPrototype: true })

/** Queries over these names, of a few levels. */
export const queryOf = (names: string[]): fc.Arbitrary<TagQuery> => {
  const { query } = fc.letrec<{ query: TagQuery }>((tie) => {
    const parts = fc.array(tie('query'), { minLength: 1, maxLength: 3 })
    const operators = fc.record(
      { $and: parts, $or: parts, $not: tie('query') },
      { requiredKeys: [], noNullPrototype: true },
    )
    // Most ask for one or two tags: a query for all of them matches next to nothing.
    const terms = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 2, noNullPrototype: true })
    return {
      query: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        terms,
        fc.tuple(terms, operators).map(([tags, rest]) => ({ ...tags, ...rest })),
      ),
    }
  })
  return query
}
