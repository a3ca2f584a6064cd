/** JSON of third parties: parsing, type checks, limits of depth and size, and other violations. */

export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON in base64 or base64url; undefined if it is invalid. */
export const parseBase64 = (base64: string): unknown => parseJson(Buffer.from(base64, 'base64').toString())

/** Parses JSON. A byte order mark before it is ignored (RFC 8259, section 8.1). Throws a `SyntaxError`. */
export const parseDocument = (text: string): unknown => JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)

/** Undefined for a text that is not JSON: the error of the parser would quote it. */
export const parseJson = (text: string): unknown => {
  try {
    return parseDocument(text)
  } catch {
    return undefined
  }
}

/** Canonical JSON (RFC 8785): numbers and texts as JavaScript writes them; names sorted by their UTF-16 code units. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** Maximum nesting of arrays and objects for libraries. */
export const MAX_DEPTH = 32

/** Maximum number of values (objects, arrays and scalars) of a document for libraries. */
export const MAX_VALUES = 20_000

/** Whether arrays and objects are nested deeper than `levels`: `[[1]]` has two levels. */
export const isNestedDeeperThan = (value: unknown, levels: number): boolean =>
  some(value, ({ level }) => level > levels)

/** Whether a document has more than `count` values, itself and its scalars included. Names of fields do not count. */
export const hasMoreValuesThan = (value: unknown, count: number): boolean => {
  let seen = 0
  return some(value, () => ++seen > count)
}

/** Whether a document has a number for which `isFound` is true. */
export const hasNumber = (document: unknown, isFound: (number: number) => boolean): boolean =>
  some(document, ({ value }) => typeof value === 'number' && isFound(value))

interface Visited {
  value: unknown
  /** Number of enclosing arrays and objects, including itself if it is one. */
  level: number
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Stops at the first match, so the cost is bounded by the limit. */
const some = (document: unknown, isFound: (visited: Visited) => boolean): boolean => {
  const pending: Visited[] = [{ value: document, level: isBranch(document) ? 1 : 0 }]
  for (let visited = pending.pop(); visited !== undefined; visited = pending.pop()) {
    if (isFound(visited)) return true
    if (!isBranch(visited.value)) continue
    for (const value of Object.values(visited.value))
      pending.push({ value, level: isBranch(value) ? visited.level + 1 : visited.level })
  }
  return false
}

/**
 * Approximate size of a value in memory, in bytes: one for each character of texts and names, and 32 for each value.
 */
export const memorySizeOf = (value: unknown): number => {
  let size = 0
  const rest = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    size += 32
    if (typeof next === 'string') size += next.length
    else if (typeof next === 'object' && next !== null)
      for (const [name, member] of Object.entries(next)) {
        size += name.length
        rest.push(member)
      }
  }
  return size
}

interface Violation {
  /** Names and indexes to it; for a bad name, to its object. */
  path: (string | number)[]
  /** `must ...`, for people. */
  message: string
}

/** Names that libraries which copy objects (valibot, class-transformer) drop, or treat as a prototype or class. */
export const UNSAFE_NAMES = ['__proto__', 'prototype', 'constructor'] as const

interface ViolationRules {
  /** Levels of objects and lists within the outermost one. */
  maxDepth: number
  /** Names that no member may have. */
  forbidden: readonly string[]
}

const violation = (message: string): Violation => ({ path: [], message })

/**
 * The first violation in a parsed JSON value: text that is not Unicode (RFC 8259, section 8.2), a number that is too
 * large for JavaScript and would become null, a forbidden name, or nesting that is too deep. Takes linear time, and
 * recurses no deeper than `maxDepth`.
 */
export const findViolation = (value: unknown, rules: ViolationRules, depth = 0): Violation | undefined => {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : violation('must be well-formed Unicode')
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : violation('must be a finite number')
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > rules.maxDepth) return violation(`must not be nested deeper than ${rules.maxDepth} levels`)
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const ofName = typeof name === 'string' ? nameViolation(name, rules) : undefined
    if (ofName !== undefined) return ofName
    const found = findViolation(member, rules, depth + 1)
    if (found !== undefined) return { ...found, path: [name, ...found.path] }
  }
  return undefined
}

const nameViolation = (name: string, { forbidden }: ViolationRules): Violation | undefined => {
  if (!name.isWellFormed()) return violation('must have names of well-formed Unicode')
  return forbidden.includes(name) ? violation('must not have a field that names a prototype') : undefined
}

/** Removes members with the value undefined, which Credo does not treat as absent. */
export const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/**
 * Removes members that are null: serializers of Java and .NET write it for absent ones. Not within the members in
 * `except`, where null has a meaning.
 */
export const removeNulls = (value: unknown, except: readonly string[] = ['json']): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (member === null && !Array.isArray(value)) Reflect.deleteProperty(value, name)
    if (!except.includes(name)) removeNulls(member, except)
  }
}
