/** Which contexts a document of somebody else names, at any depth, before anything expands it. */
import { isObject } from '../../records/record-json.ts'

/** A credential has one list of contexts; a proof may have one more. */
const MAX_CONTEXTS = 100

/**
 * What a document uses as `@context` and the verifier does not trust: addresses, and `an inline context` for whatever is no address. The
 * holder writes the document, and whoever writes the context says what a signature is about.
 */
export const untrustedContexts = (document: unknown, isTrusted: (context: unknown) => boolean): string[] => {
  const found = new Set<string>()
  let count = 0
  const queue: unknown[] = [document]
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    if (Array.isArray(value)) queue.push(...value.filter((item) => typeof item === 'object' && item !== null))
    if (!isObject(value)) continue
    for (const [name, member] of Object.entries(value)) {
      if (name !== '@context') queue.push(...(typeof member === 'object' && member !== null ? [member] : []))
      else
        for (const context of Array.isArray(member) ? member : [member]) {
          if (++count > MAX_CONTEXTS) return [`more than ${MAX_CONTEXTS} contexts`]
          if (!isTrusted(context)) found.add(typeof context === 'string' ? context.slice(0, 200) : 'an inline context')
        }
    }
  }
  return [...found]
}
