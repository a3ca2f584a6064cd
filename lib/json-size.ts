/** How deep and how large a JSON document is, found without recursion: a document of any depth can be asked about. */

/** Deepest nesting of arrays and objects that a library is given. */
export const MAX_DEPTH = 32

/** Most values (objects, arrays and scalars) of a document that a library is given. */
export const MAX_VALUES = 20_000

/** Whether more than `levels` arrays and objects lie in each other: `[[1]]` has two levels. */
export const isNestedDeeperThan = (value: unknown, levels: number): boolean =>
  some(value, ({ level }) => level > levels)

/** Whether a document has more than `count` values, itself and its scalars included. Names of fields do not count. */
export const hasMoreValuesThan = (value: unknown, count: number): boolean => {
  let seen = 0
  return some(value, () => ++seen > count)
}

interface Visited {
  value: unknown
  /** How many arrays and objects it lies in, itself included if it is one. */
  level: number
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Stops at the first value that is what is looked for, so the cost has the bound of the question. */
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
