/** Resolves the contexts of documents for the JSON-LD processor, and limits how often they are processed. */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext } from '@digitalcredentials/jsonld'
import type { ContextResolver, ResolvedContext } from '@digitalcredentials/jsonld/lib/ContextResolver.js'
import { Bounded } from '../../../bounded.ts'

/**
 * The context that applies again within a node whose type has a context. The processor's own function copies and sorts its terms for each value of
 * the node. Processed contexts do not change, and pass this function on to contexts that are derived from them.
 */
function previousContext(this: ActiveContext): ActiveContext {
  return this.previousContext ?? this
}

/** Processed contexts that never change, shared by all documents: by address, or by their own text. */
const processed = new Bounded<string, Map<string, ResolvedContext>>(100)

/**
 * A context with `@import` is not shared. Its text does not say what it means: the processor writes the imported terms into it, and contexts of another
 * request may have another document at that address.
 */
const sharedCache = {
  get: (key: string) => processed.get(key),
  set: (key: string, contexts: Map<string, ResolvedContext>) =>
    key.includes('"@import"') ? contexts : processed.set(key, contexts),
}

/** A resolver for the contexts of one operation. With another cache than the shared one, it knows no documents of other operations. */
export const contextResolver = async (cache: typeof sharedCache = sharedCache): Promise<ContextResolver> => {
  const { default: Resolver } = await import('@digitalcredentials/jsonld/lib/ContextResolver.js')
  return new Resolver({ sharedCache: cache })
}

/**
 * A resolver for the contexts of documents, types and properties. If a result is not cached, the processor copies all active terms (required by
 * JSON-LD 1.1, section 4.1.8). `weight` is the cost of a copied term. Throws when the budget is used up.
 */
export const countingResolver = async (budget: { terms: number }, weight: number): Promise<ContextResolver> => {
  const resolver = await contextResolver()
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
