/** Bodies of forms: https://url.spec.whatwg.org/#application/x-www-form-urlencoded */
import { AgentError } from '../errors.ts'

const MAX_NAMES = 64

const malformed = (message: string) => new AgentError('request.malformed', message)

/** Percent-encoding of UTF-8, with `+` for a space. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformed('The body is not a form in UTF-8')
  }
}

/**
 * The values of a form by their names. An empty value counts as omitted, and no name may occur twice (RFC 6749, section
 * 3.1). Throws `request.malformed`.
 */
export const parseForm = (text: string): Record<string, string> => {
  // One more than the maximum shows that there are too many.
  const parts = text.split('&', MAX_NAMES + 1)
  if (parts.length > MAX_NAMES) throw malformed(`The form has over ${MAX_NAMES} names`)
  const values = new Map<string, string>()
  for (const part of parts.filter(Boolean)) {
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    if (values.has(name)) throw malformed('A name occurs twice in the form')
    values.set(name, equals < 0 ? '' : decoded(part.slice(equals + 1)))
  }
  return Object.fromEntries([...values].filter(([, value]) => value !== ''))
}
