/** Selects the values at a path: own properties only, without recursion, and within a budget whatever the document. */
import { MAX_VALUES } from '../json.ts'
import type { Path, Selector } from './path.ts'
import { VISIT, type Work, WorkLimitError } from './work.ts'

/** Names and indexes from the document's root to a value. */
export type Location = readonly (string | number)[]

export interface Selected {
  value: unknown
  location: Location
}

/**
 * The values at `path` in `document`, in document order. What a prototype has is in no document: `$.constructor` selects a member that the
 * document itself names so, or nothing. `document` is at most `MAX_DEPTH` deep. Throws `WorkLimitError` when the budget is exceeded, and when
 * a step selects more values than a document may have.
 */
export const select = (path: Path, document: unknown, work: Work): Selected[] => {
  let found: Selected[] = [{ value: document, location: [] }]
  for (const { descends, selectors } of path) {
    const next: Selected[] = []
    const add = (selected: Selected) => {
      work.spend(VISIT)
      if (next.push(selected) > MAX_VALUES) throw new WorkLimitError()
    }
    for (const from of descends ? withDescendants(found, work) : found)
      for (const selector of selectors) for (const selected of chosen(from, selector)) add(selected)
    found = next
  }
  return found
}

/** The values and all that lies in them, parents before children. */
function* withDescendants(roots: readonly Selected[], work: Work): Generator<Selected> {
  const pending = roots.toReversed()
  for (let selected = pending.pop(); selected !== undefined; selected = pending.pop()) {
    work.spend(VISIT)
    yield selected
    for (const child of children(selected).reverse()) pending.push(child)
  }
}

const children = ({ value, location }: Selected): Selected[] => {
  if (Array.isArray(value)) return value.map((element, index) => ({ value: element, location: [...location, index] }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, member]) => ({ value: member, location: [...location, name] }))
}

const chosen = (from: Selected, selector: Selector): Selected[] => {
  if (selector.kind === 'wildcard') return children(from)
  if (selector.kind === 'name') return Array.isArray(from.value) ? [] : member(from, selector.name)
  if (!Array.isArray(from.value)) return selector.kind === 'index' ? member(from, String(selector.index)) : []
  const { value, location } = from
  const indexes =
    selector.kind === 'index' ? [fromEnd(selector.index, value.length)] : indexesOf(selector, value.length)
  return indexes
    .filter((index) => index >= 0 && index < value.length)
    .map((index) => ({ value: value[index], location: [...location, index] }))
}

const member = ({ value, location }: Selected, name: string): Selected[] =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? [{ value: Reflect.get(value, name), location: [...location, name] }]
    : []

const fromEnd = (index: number, length: number): number => (index < 0 ? length + index : index)

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)

/** RFC 9535, section 2.3.4.2.2. */
const indexesOf = ({ start, end, step }: Extract<Selector, { kind: 'slice' }>, length: number): number[] => {
  const indexes: number[] = []
  if (step > 0) {
    const last = clamp(fromEnd(end ?? length, length), 0, length)
    for (let index = clamp(fromEnd(start ?? 0, length), 0, length); index < last; index += step) indexes.push(index)
  }
  if (step < 0) {
    const last = end === undefined ? -1 : clamp(fromEnd(end, length), -1, length - 1)
    for (let index = clamp(fromEnd(start ?? length - 1, length), -1, length - 1); index > last; index += step)
      indexes.push(index)
  }
  return indexes
}
