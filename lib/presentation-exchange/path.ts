/** Paths into credentials and presentations: the part of JSONPath (RFC 9535) that is free of expressions, so that a path never becomes code. */

/** One alternative of a step. A name selects a member of an object, an index an element of an array (from its end if negative). */
export type Selector =
  | { kind: 'name'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'slice'; start: number | undefined; end: number | undefined; step: number }
  | { kind: 'wildcard' }

/** `descends`: the selectors apply to the value and to everything in it (`..`), else to the value alone. */
export interface Step {
  descends: boolean
  selectors: readonly Selector[]
}

export type Path = readonly Step[]

const INTEGER = '-?(?:0|[1-9][0-9]{0,8})'
const QUOTED = `'[^'\\\\]*'|"[^"\\\\]*"`
const INDEXES = `${INTEGER}(?:,${INTEGER})*`
const SLICE = `(?:${INTEGER})?:(?:${INTEGER})?(?::(?:${INTEGER})?)?`
const NAMES = `(?:${QUOTED})(?:,(?:${QUOTED}))*`
const BRACKETS = `\\[(?:\\*|${INDEXES}|${SLICE}|${NAMES})\\]`
const MEMBER = '(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]{1,9}|\\*)'
const CHILD = `(?:\\.${MEMBER}|${BRACKETS})`
const DESCENT = `\\.\\.(?:${MEMBER}|${BRACKETS})`

/** A tenant's path: `$`, then children by name, index, slice, wildcard or union of these, and at most one descent (`..`). */
export const TENANT_PATH = new RegExp(`^\\$(?:${CHILD})*(?:${DESCENT}(?:${CHILD})*)?$`)

const STEP = new RegExp(`(\\.\\.|\\.)?(?:(${MEMBER})|\\[([^'"\\]]*|${NAMES})\\])`, 'g')

/** Most steps of a wallet's path. */
const MAX_WALLET_STEPS = 16

/** Longest path of a wallet, in characters. */
const MAX_WALLET_PATH = 1024

/** The path that a tenant wrote in a definition, or undefined if it is none. The syntax of `text` is `TENANT_PATH`. */
export const parseTenantPath = (text: string): Path | undefined =>
  TENANT_PATH.test(text) ? [...text.matchAll(STEP)].map(toStep) : undefined

/**
 * The path that a wallet wrote in a presentation submission, or undefined if it is none: `$` and at most 16 children, each one name or
 * one index. A wallet says where a credential lies, so it needs no search; and no name has an `@`.
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
