/** Tags and queries for property tests: few names and values, so that many of them match. */
import fc from 'fast-check'
import type { TagQuery } from '../../../lib/store/index-entries.ts'
import type { Tags, TagValue } from '../../../lib/store/stored-record.ts'

const VALUES = ['a', 'b', 'true', '']

const text = fc.constantFrom(...VALUES)
const scalar: fc.Arbitrary<TagValue> = fc.oneof(text, fc.boolean(), fc.constantFrom(null, undefined))
const list = fc.uniqueArray(text, { maxLength: 3 })

/** Tags of these names, each missing, a text, a boolean, `null` or a list. */
export const tagsOf = (names: string[]): fc.Arbitrary<Tags> =>
  fc.dictionary(fc.constantFrom(...names), fc.oneof(scalar, list), { maxKeys: names.length, noNullPrototype: true })

/** Queries over these names, of a few levels. */
export const queryOf = (names: string[]): fc.Arbitrary<TagQuery> => {
  const { query } = fc.letrec<{ query: TagQuery }>((tie) => {
    const parts = fc.array(tie('query'), { minLength: 1, maxLength: 3 })
    const operators = fc.record(
      { $and: parts, $or: parts, $not: tie('query') },
      { requiredKeys: [], noNullPrototype: true },
    )
    const terms = tagsOf(names)
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
