/** Reads what was thrown, which may be anything: an error whose message is an object, a getter that throws, a chain without end. */

/** Runs a read that foreign code may break. */
const readSafely = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Also of a proxy, which may throw when it is asked. */
export const isError = (value: unknown): value is Error => readSafely(() => value instanceof Error) ?? false

/** A property of an object; undefined where there is none, or none that can be read. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? readSafely(() => Reflect.get(value, name)) : undefined

/** Text of at most `max` characters: a string, the message of an error, or else what kind of value it is. */
export const textOf = (value: unknown, max: number): string => {
  const text = isError(value) ? propertyOf(value, 'message') : value
  return typeof text === 'string' ? text.slice(0, max) : typeof text
}

const MAX_CHAIN = 8

/** The error and what caused it, outermost first; bounded, since a cause can lead back. */
export const chainOf = (error: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let link = error; link !== undefined && link !== null && chain.length < MAX_CHAIN; ) {
    chain.push(link)
    link = isError(link) ? propertyOf(link, 'cause') : undefined
  }
  return chain
}
