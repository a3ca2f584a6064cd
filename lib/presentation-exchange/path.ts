/**
 * Paths into credentials and presentations, and the values at them: JSONPath (RFC 9535) without expressions, so that no
 * path becomes code.
 */
import { MAX_VALUES } from '../json.ts'
import { VISIT, type Work, WorkLimitError } from './work.ts'

/**
 * One alternative of a step. A name selects a member of an object, an index an element of an array (from its end if
 * negative).
 */
type Selector =
  | { kind: 'name'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'slice'; start: number | undefined; end: number | undefined; step: number }
  | { kind: 'wildcard' }

/** `descends`: the selectors apply to the value and to everything in it (`..`), else to the value alone. */
interface Step {
  descends: boolean
  selectors: readonly Selector[]
}

type Path = readonly Step[]

const INTEGER = '-?(?:0|[1-9][0-9]{0,8})'
const QUOTED = `'[^'\\\\]*'|"[^"\\\\]*"`
const INDEXES = `${INTEGER}(?:,${INTEGER})*`
const SLICE = `(?:${INTEGER})?:(?:${INTEGER})?(?::(?:${INTEGER})?)?`
const NAMES = `(?:${QUOTED})(?:,(?:${QUOTED}))*`
const BRACKETS = `\\[(?:\\*|${INDEXES}|${SLICE}|${NAMES})\\]`
const MEMBER = '(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]{1,9}|\\*)'
const CHILD = `(?:\\.${MEMBER}|${BRACKETS})`
const DESCENT = `\\.\\.(?:${MEMBER}|${BRACKETS})`

/**
 * A tenant's path: `$`, then children by name, index, slice, wildcard or union of these, and at most one descent
 * (`..`).
 */
export const TENANT_PATH = new RegExp(`^\\$(?:${CHILD})*(?:${DESCENT}(?:${CHILD})*)?$`)

const STEP = new RegExp(`(\\.\\.|\\.)?(?:(${MEMBER})|\\[([^'"\\]]*|${NAMES})\\])`, 'g')

const MAX_WALLET_STEPS = 16

/** In characters. */
const MAX_WALLET_PATH = 256

/** Parses a path of a tenant's definition; undefined if it does not match `TENANT_PATH`. */
export const parseTenantPath = (text: string): Path | undefined =>
  TENANT_PATH.test(text) ? [...text.matchAll(STEP)].map(toStep) : undefined

/**
 * Parses a path of a wallet's presentation submission; undefined if it is none. It is `$` and at most 16 children, each
 * a single name or index: a wallet names the place of a credential and searches for nothing. Names with `@` are
 * refused.
 */
export const parseWalletPath = (text: string): Path | undefined => {
  const path = text.length <= MAX_WALLET_PATH ? parseTenantPath(text) : undefined
  return path !== undefined && path.length <= MAX_WALLET_STEPS && path.every(isChild) ? path : undefined
}

const isChild = ({ descends, selectors: [selector, ...others] }: Step): boolean => {
  if (descends || others.length > 0) return false
  return selector?.kind === 'name' ? !selector.name.includes('@') : selector?.kind === 'index' && selector.index >= 0
}

const toStep = ([, dots, member, brackets = '']: RegExpExecArray): Step => ({
  descends: dots === '..',
  selectors: member === undefined ? toSelectors(brackets) : [toMember(member)],
})

const toMember = (text: string): Selector => {
  if (text === '*') return { kind: 'wildcard' }
  return /^[0-9]/.test(text) ? { kind: 'index', index: Number(text) } : { kind: 'name', name: text }
}

const toSelectors = (text: string): Selector[] => {
  if (text === '*') return [{ kind: 'wildcard' }]
  if (/^['"]/.test(text))
    return [...text.matchAll(new RegExp(QUOTED, 'g'))].map(([quoted]) => ({ kind: 'name', name: quoted.slice(1, -1) }))
  if (!text.includes(':')) return text.split(',').map((index) => ({ kind: 'index', index: Number(index) }))
  const [start = '', end = '', step = ''] = text.split(':')
  return [{ kind: 'slice', start: toBound(start), end: toBound(end), step: toBound(step) ?? 1 }]
}

const toBound = (text: string): number | undefined => (text === '' ? undefined : Number(text))

/** Names and indexes that lead from the document's root to a value. */
export type Location = readonly (string | number)[]

export interface Selected {
  value: unknown
  location: Location
}

/**
 * The values at `path`, in document order. Only own properties count: `$.constructor` selects nothing unless the
 * document has such a member. `document` is at most `MAX_DEPTH` deep. Throws `WorkLimitError` if the budget is
 * exceeded, or if a step selects more values than a document may have.
 */
export const select = (path: Path, document: unknown, work: Work): Selected[] => {
  let nodes: Selected[] = [{ value: document, location: [] }]
  for (const { descends, selectors } of path) {
    const next: Selected[] = []
    const add = (selected: Selected) => {
      work.spend(VISIT)
      if (next.push(selected) > MAX_VALUES) throw new WorkLimitError()
    }
    for (const from of descends ? withDescendants(nodes, work) : nodes)
      for (const selector of selectors) for (const selected of chosen(from, selector)) add(selected)
    nodes = next
  }
  return nodes
}

/** The values and all of their descendants, parents first. */
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
