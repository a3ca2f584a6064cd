/** Limits the contexts of other agents' documents: which ones they may use, and how often contexts are processed. */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext } from '@digitalcredentials/jsonld'
import type { ContextResolver, ResolvedContext } from '@digitalcredentials/jsonld/lib/ContextResolver.js'
import { Bounded } from '../../bounded.ts'
import { isObject } from '../../json.ts'

/**
 * Maximum number of terms of all contexts of a document, counted for each use, because expanding a node costs time for each term of its contexts. The
 * credentials context has about 50 and schema.org 2,900; 20,000 take about a second.
 */
const MAX_TERMS = 20_000

/**
 * Throws a CredoError that names a `@context` which the reader does not trust. The holder writes the document, and the author of a context decides
 * what a signature is about. `termsOf` returns the number of terms of a trusted context, undefined for any other.
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

/** Every context of a document. The members of a list count separately. */
function* contextsIn(document: unknown): Generator<unknown> {
  const pending: unknown[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
    for (const [name, member] of members)
      if (name === '@context') yield* Array.isArray(member) ? member : [member]
      else if (typeof member === 'object' && member !== null) pending.push(member)
  }
}

/**
 * The context that applies again within a node whose type has a context. The processor's own function copies and sorts its terms for each value of
 * the node. Processed contexts do not change, and pass this function on to contexts that are derived from them.
 */
function previousContext(this: ActiveContext): ActiveContext {
  return this.previousContext ?? this
}

/** Processed contexts that never change, shared by all documents. */
const sharedCache = new Bounded<string, Map<string, ResolvedContext>>(100)

/**
 * A resolver for the contexts of documents, types and properties. If a result is not cached, the processor copies all active terms (required by
 * JSON-LD 1.1, section 4.1.8). `weight` is the cost of a copied term. Throws when the budget is used up.
 */
export const countingResolver = async (budget: { terms: number }, weight: number): Promise<ContextResolver> => {
  const { default: Resolver } = await import('@digitalcredentials/jsonld/lib/ContextResolver.js')
  const resolver = new Resolver({ sharedCache })
  return {
    resolve: async (asked) => {
      asked.activeCtx.revertToPreviousContext = previousContext
      const resolved = await resolver.resolve(asked)
      const fresh = resolved.filter((context) => context.getProcessed(asked.activeCtx) === undefined)
      budget.terms -= fresh.length * asked.activeCtx.mappings.size * weight
      if (budget.terms < 0) throw new CredoError('the documents use the contexts of types and properties too often')
      return resolved
    },
  }
}
