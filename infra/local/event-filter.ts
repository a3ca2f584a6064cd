/**
 * The filter patterns of an event source mapping, as far as this service uses them: fields that equal one of some
 * values. https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
import { isObject } from '../../lib/json.ts'
import { StageFailure } from '../failure.ts'

const matches = (pattern: unknown, value: unknown): boolean =>
  Array.isArray(pattern)
    ? pattern.includes(value)
    : isObject(pattern) &&
      isObject(value) &&
      Object.entries(pattern).every(([name, inner]) => matches(inner, value[name]))

/** Rejects patterns that only AWS supports (`prefix`, `exists`, ...), because no event would match them here. */
const check = (pattern: unknown): void => {
  if (isObject(pattern)) Object.values(pattern).forEach(check)
  else if (!Array.isArray(pattern) || pattern.some(isObject)) {
    throw new StageFailure(`The local stage knows filter patterns of exact values only, not ${JSON.stringify(pattern)}`)
  }
}

/** Returns a test for whether an event matches one of the patterns; without patterns all do. */
export const eventFilter = (patterns: unknown[] = []): ((event: unknown) => boolean) => {
  patterns.forEach(check)
  return (event) => patterns.length === 0 || patterns.some((pattern) => matches(pattern, event))
}
