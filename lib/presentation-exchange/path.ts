/**
 * Paths into credentials and presentations, and the values at them: JSONPath (RFC 9535) without expressions, so that no
 * path becomes code.
 */
import { MAX_VALUES } from '../json.ts'
import { type Claim, elementAt, lengthOf, memberOf, membersOf, toElement } from './claims.ts'
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
 * Parses a path of a wallet's presentation submission; undefined if it is invalid. It is `$` and at most 16 children,
 * each a single name or index: a wallet names the place of a credential and searches for nothing. Names with `@` are
 * not allowed.
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

/** Names of members in which values have an order. */
export interface OrderedNames {
  /** Their elements have one. */
  lists: ReadonlySet<string>
  /** All in them is as it was signed. */
  literals: ReadonlySet<string>
}

/**
 * Whether a path needs the order of values that have none: it names another index than the first and the last, which a
 * single value has too, or a slice that is neither the whole list nor its first element.
 */
export const needsOrder = (path: Path, { lists, literals }: OrderedNames): boolean => {
  let names: string[] = []
  for (const { selectors } of path) {
    if (selectors.every(isOrdered) && !names.some((name) => lists.has(name))) return true
    const next = selectors.flatMap((selector) => (selector.kind === 'name' ? selector.name : []))
    if (next.length > 0) names = next
    if (names.some((name) => literals.has(name))) return false
  }
  return false
}

const isOrdered = (selector: Selector): boolean => {
  if (selector.kind === 'index') return selector.index !== 0 && selector.index !== -1
  if (selector.kind !== 'slice') return false
  const { start, end, step } = selector
  if (step === -1) return (start ?? -1) !== -1 || end !== undefined
  return step !== 1 || (start ?? 0) !== 0 || (end ?? 1) !== 1
}

/** Names and indexes that lead from the document's root to a value. */
export type Location = readonly (string | number)[]

export interface Selected {
  claim: Claim
  location: Location
}

export interface Selection {
  /** In document order. */
  selected: readonly Selected[]
  /** Whether a step needs the order of several values that have none. */
  isUndecided: boolean
}

/** A step selects a single value as a member of its parent, and once more as a list of one. */
const MAX_SELECTED = 2 * MAX_VALUES

/**
 * The values at `path`. Only own properties count: `$.constructor` selects nothing unless the document has such a
 * member. `document` is at most `MAX_DEPTH` deep. Throws `WorkLimitError` if the budget is exceeded, or if a step
 * selects more values than a document may have.
 */
export const select = (path: Path, document: unknown, work: Work): Selection => {
  let isUndecided = false
  let nodes: Selected[] = [{ claim: toElement(document), location: [] }]
  for (const { descends, selectors } of path) {
    const next: Selected[] = []
    const add = (selected: Selected) => {
      work.spend(VISIT)
      if (next.push(selected) > MAX_SELECTED) throw new WorkLimitError()
    }
    for (const from of descends ? withDescendants(nodes, work) : nodes)
      for (const selector of selectors) {
        const all = chosen(from, selector)
        isUndecided ||= all === undefined
        for (const selected of all ?? []) add(selected)
      }
    nodes = next
  }
  return { selected: nodes, isUndecided }
}

/** The values and all of their descendants, parents first. */
function* withDescendants(roots: readonly Selected[], work: Work): Generator<Selected> {
  const pending = roots.toReversed()
  for (let selected = pending.pop(); selected !== undefined; selected = pending.pop()) {
    work.spend(VISIT)
    yield selected
    const below = selected.claim.kind === 'single' ? members(selected) : [...members(selected), ...elements(selected)]
    for (const child of below.reverse()) pending.push(child)
  }
}

const members = ({ claim, location }: Selected): Selected[] =>
  membersOf(claim).map(([name, member]) => ({ claim: member, location: [...location, name] }))

const element = ({ claim, location }: Selected, index: number): Selected => ({
  claim: elementAt(claim, index),
  location: [...location, index],
})

const elements = (from: Selected): Selected[] =>
  Array.from({ length: lengthOf(from.claim) ?? 0 }, (_, index) => element(from, index))

const member = ({ claim, location }: Selected, name: string): Selected[] =>
  memberOf(claim, name).map((value) => ({ claim: value, location: [...location, name] }))

/** Undefined where it would be some of several values without an order. */
const chosen = (from: Selected, selector: Selector): Selected[] | undefined => {
  if (selector.kind === 'name') return member(from, selector.name)
  if (selector.kind === 'wildcard') return [...members(from), ...elements(from)]
  const length = lengthOf(from.claim) ?? 0
  const indexes = (selector.kind === 'index' ? [fromEnd(selector.index, length)] : indexesOf(selector, length)).filter(
    (index) => index >= 0 && index < length,
  )
  if (from.claim.kind === 'set' && indexes.length < length) return undefined
  return [
    ...(selector.kind === 'index' ? member(from, String(selector.index)) : []),
    ...indexes.map((index) => element(from, index)),
  ]
}

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
