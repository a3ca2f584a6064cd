/**
 * What a credential says, as holders and verifiers evaluate it. A property of a node in JSON-LD has a set of values
 * (JSON-LD 1.1, section 4.3): one and a list of this one are the same, and several have no order. Only lists (`@list`)
 * and JSON literals (`@json`) are as they were signed.
 */
import { isObject } from '../json.ts'

/** A list whose order was signed, or is fixed by the reading of the document, as that of `type`. */
export class OrderedList {
  readonly elements: readonly unknown[]

  constructor(elements: readonly unknown[]) {
    this.elements = elements
  }
}

/** A value in which nothing is a set. */
export class JsonLiteral {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/** The JSON of claims, for people and records. */
export const toJson = (claims: unknown): unknown => {
  if (claims instanceof JsonLiteral) return claims.value
  if (claims instanceof OrderedList) return claims.elements.map(toJson)
  if (Array.isArray(claims)) return claims.map(toJson)
  return isObject(claims)
    ? Object.fromEntries(Object.entries(claims).map(([name, member]) => [name, toJson(member)]))
    : claims
}

/**
 * A value as a path or a filter sees it. `single`: the only value of a property, which is also a list of one. `element`:
 * a value that is no such list, in a set or a list.
 */
export type Claim =
  | { kind: 'single' | 'element' | 'json'; value: unknown }
  | { kind: 'set' | 'list'; value: readonly unknown[] }

/** The document itself, or an element. */
export const toElement = (value: unknown): Claim => toClaim(value, 'element')

const toClaim = (value: unknown, kind: 'single' | 'element'): Claim => {
  if (value instanceof JsonLiteral) return ofJson(value.value)
  if (value instanceof OrderedList) return { kind: 'list', value: value.elements }
  if (!Array.isArray(value)) return { kind, value }
  return value.length === 1 ? toClaim(value[0], kind) : { kind: 'set', value }
}

const ofJson = (value: unknown): Claim => ({ kind: 'json', value })

/** Number of elements of a set, a list, an array in JSON, or of the list that a single value is; else undefined. */
export const lengthOf = ({ kind, value }: Claim): number | undefined => {
  if (kind === 'single') return 1
  return Array.isArray(value) ? value.length : undefined
}

/** The element at an index below `lengthOf`. */
export const elementAt = ({ kind, value }: Claim, index: number): Claim => {
  if (kind === 'single') return { kind: 'element', value }
  const element: unknown = Array.isArray(value) ? value[index] : undefined
  return kind === 'json' ? ofJson(element) : toElement(element)
}

/** All elements; undefined if it has none by its kind. */
export const elementsOf = (claim: Claim): Claim[] | undefined => {
  const length = lengthOf(claim)
  return length === undefined ? undefined : Array.from({ length }, (_, index) => elementAt(claim, index))
}

/** The own members of an object. */
export const membersOf = (claim: Claim): [name: string, member: Claim][] =>
  isObject(claim.value)
    ? Object.keys(claim.value).map((name) => [name, ...memberOf(claim, name)] as [string, Claim])
    : []

/** The own member of this name; empty if there is none. */
export const memberOf = ({ kind, value }: Claim, name: string): Claim[] => {
  if (!isObject(value) || !Object.hasOwn(value, name)) return []
  return [kind === 'json' ? ofJson(value[name]) : toClaim(value[name], 'single')]
}
