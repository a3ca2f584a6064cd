/** How many cases a run tries: with `DEPTH=full` all of them, otherwise the most different ones, the same each time. */
export const FULL = process.env.DEPTH === 'full'

/** Places in a list of calls at which something is tried: all of them, or the first and the last one of each name. */
export const placesToTry = (names: readonly string[]): number[] =>
  [...names.keys()].filter((at) => {
    const name = names[at] ?? ''
    return FULL || names.indexOf(name) === at || names.lastIndexOf(name) === at
  })

/** From one request that fails to the next one that does. */
export const STEP = FULL ? 1 : 3
