/** What JSON can spell and no library or database is sure to take: found in one walk, before anything else reads the value. */

export interface Flaw {
  /** Names and indexes on the way to it; of a bad name, to the object that has it. */
  path: (string | number)[]
  /** `must ...`, for people. */
  message: string
}

export interface FlawRules {
  /** Levels of objects and lists within the outermost one. */
  maxDepth: number
  /** Names that no member may have. */
  forbidden: readonly string[]
}

const flaw = (message: string): Flaw => ({ path: [], message })

/**
 * The first flaw of a parsed JSON value: text that is not Unicode (RFC 8259, section 8.2), a forbidden name, or nesting that is too
 * deep. Takes linear time, and recurses no deeper than `maxDepth`.
 */
export const findFlaw = (value: unknown, rules: FlawRules, depth = 0): Flaw | undefined => {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : flaw('must be well-formed Unicode')
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > rules.maxDepth) return flaw(`must not be nested deeper than ${rules.maxDepth} levels`)
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const ofName = typeof name === 'string' ? flawOfName(name, rules) : undefined
    if (ofName !== undefined) return ofName
    const found = findFlaw(member, rules, depth + 1)
    if (found !== undefined) return { ...found, path: [name, ...found.path] }
  }
  return undefined
}

const flawOfName = (name: string, { forbidden }: FlawRules): Flaw | undefined => {
  if (!name.isWellFormed()) return flaw('must have names of well-formed Unicode')
  return forbidden.includes(name) ? flaw('must not have a field that names a prototype') : undefined
}
