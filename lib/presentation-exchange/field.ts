/** One field of an input descriptor's constraints: where a claim lies, and what has to be true of it. */
import { type Filter, passes } from './filter.ts'
import { parseTenantPath } from './path.ts'
import { type Selected, select } from './select.ts'
import type { Work } from './work.ts'

export interface Field {
  id?: string | undefined
  /** Alternatives, the preferred one first. */
  path: readonly string[]
  filter?: Filter | undefined
  /** The claim may be absent. */
  optional?: boolean | undefined
  /** The wallet may answer a boolean instead of the value. No signature suite of ours can prove one, so the value itself is filtered. */
  predicate?: 'preferred' | undefined
  /** For the wallet's user. */
  name?: string | undefined
  purpose?: string | undefined
  intent_to_retain?: boolean | undefined
}

export interface FieldResult {
  satisfied: boolean
  /** What the field selected, in document order; empty when an optional claim is absent. */
  matches: readonly Selected[]
}

/**
 * Evaluates a field (DIF Presentation Exchange 2.0, section Input Evaluation): the first path counts that leads to a value which passes the
 * filter. A path that leads to several values, such as `$.type[*]`, selects those of them that pass, and one is enough. A value that is an array is
 * filtered as an array: `contains` and `items` are for its elements. A claim that is present and passes on no path does not satisfy the
 * field, `optional` or not.
 *
 * Throws `WorkLimitError`.
 */
export const evaluateField = ({ path, filter, optional }: Field, credential: unknown, work: Work): FieldResult => {
  let isAbsent = true
  for (const text of path) {
    const parsed = parseTenantPath(text)
    if (parsed === undefined) return { satisfied: false, matches: [] }
    const selected = select(parsed, credential, work)
    const matches = filter === undefined ? selected : selected.filter(({ value }) => passes(filter, value, work))
    if (matches.length > 0) return { satisfied: true, matches }
    isAbsent &&= selected.length === 0
  }
  return { satisfied: isAbsent && optional === true, matches: [] }
}
