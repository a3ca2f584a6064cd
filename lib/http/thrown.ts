/** Reads thrown values safely: a message may be an object, a getter may throw, a chain of causes may be endless. */

/** Runs a read in which foreign code may throw. */
const readSafely = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Also works for a proxy, which may throw. */
export const isError = (value: unknown): value is Error => readSafely(() => value instanceof Error) ?? false

/** A property of an object; undefined if there is none or it can't be read. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? readSafely(() => Reflect.get(value, name)) : undefined

/** Text of at most `max` characters: a string, the message of an error, or else what kind of value it is. */
export const textOf = (value: unknown, max: number): string => {
  const text = isError(value) ? propertyOf(value, 'message') : value
  return typeof text === 'string' ? text.slice(0, max) : typeof text
}

const MAX_CHAIN = 8

/** The error and its causes, outermost first. Bounded, because causes can be cyclic. */
export const chainOf = (error: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let link = error; link !== undefined && link !== null && chain.length < MAX_CHAIN; ) {
    chain.push(link)
    link = isError(link) ? propertyOf(link, 'cause') : undefined
  }
  return chain
}
