/** Which contexts a document of somebody else names, at any depth, before anything expands it. */
import { CredoError } from '@credo-ts/core'
import { isObject } from '../../json.ts'

/**
 * Terms of all contexts that a document names, each counted as often as it is named: expanding a node costs what its contexts have terms.
 * The credentials context has about 50 and schema.org 2,900; 20,000 take about a second.
 */
const MAX_TERMS = 20_000

/**
 * Throws a CredoError that names what a document uses as `@context` and its reader does not trust. The holder writes the document, and
 * whoever writes the context says what a signature is about. `termsOf` gives the number of terms of a context that is
 * trusted, undefined for any other.
 */
export const assertTrustedContexts = (document: unknown, termsOf: (context: unknown) => number | undefined): void => {
  const untrusted = new Set<string>()
  let terms = 0
  for (const context of contextsIn(document)) {
    const size = termsOf(context)
    if (size === undefined) untrusted.add(typeof context === 'string' ? context.slice(0, 200) : 'an inline context')
    else terms += size
  }
  if (untrusted.size > 0)
    throw new CredoError(
      `the presentation needs contexts that are not trusted: ${[...untrusted].slice(0, 10).join(', ')}`,
    )
  if (terms > MAX_TERMS) throw new CredoError(`the presentation's contexts have more than ${MAX_TERMS} terms`)
}

/** Every context of a document, each member of a list by itself. */
function* contextsIn(document: unknown): Generator<unknown> {
  const pending: unknown[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
    for (const [name, member] of members)
      if (name === '@context') yield* Array.isArray(member) ? member : [member]
      else if (typeof member === 'object' && member !== null) pending.push(member)
  }
}
