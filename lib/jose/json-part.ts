/** JSON in base64url: the parts of JWTs (RFC 7515, section 7.1), and disclosures of SD-JWTs (RFC 9901, section 4.2). */
import { findViolation, isObject, type JsonObject, parseBase64 } from '../json.ts'
import { JoseError } from './errors.ts'

/** Levels of objects and lists, the outermost one included. */
export const MAX_DEPTH = 16

const RULES = { maxDepth: MAX_DEPTH - 1, forbidden: ['__proto__'] } as const

/** Parses JSON within `MAX_DEPTH`. Throws a JoseError. */
export const parsePart = (base64url: string): unknown => {
  const value = parseBase64(base64url)
  if (value === undefined) throw new JoseError('a part is not JSON in base64url')
  const violation = findViolation(value, RULES)
  if (violation !== undefined) throw new JoseError(`the JSON of a part ${violation.message}`)
  return value
}

/** The same for a part that must be an object. */
export const parseObject = (base64url: string): JsonObject => {
  const value = parsePart(base64url)
  if (!isObject(value)) throw new JoseError('a part is not a JSON object')
  return value
}
