/** Resolves contexts for the JSON-LD processor, and limits how often they are processed. */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext } from '@digitalcredentials/jsonld'
import type { ContextResolver, ResolvedContext } from '@digitalcredentials/jsonld/lib/ContextResolver.js'
import { Bounded } from '../../../bounded.ts'

/**
 * Replaces the processor's `revertToPreviousContext`, which leaves a type-scoped context (JSON-LD 1.1, section 4.1.8)
 * and copies and sorts all terms for each value of a node. Processed contexts are immutable, so no copy is needed.
 * Contexts that are derived from one inherit this function.
 */
function revertToPreviousContext(this: ActiveContext): ActiveContext {
  return this.previousContext ?? this
}

/** Processed contexts for all documents, by address of an immutable document or by text of an inline context. */
const processedContexts = new Bounded<string, Map<string, ResolvedContext>>(100)

/**
 * A context with `@import` is not cached: its terms depend on the imported document, and another request may trust
 * another document at that address.
 */
const sharedCache = {
  get: (key: string) => processedContexts.get(key),
  set: (key: string, contexts: Map<string, ResolvedContext>) =>
    key.includes('"@import"') ? contexts : processedContexts.set(key, contexts),
}

/** A resolver for the contexts of one operation. With its own cache, it sees no contexts of other operations. */
export const contextResolver = async (cache: typeof sharedCache = sharedCache): Promise<ContextResolver> => {
  const { default: Resolver } = await import('@digitalcredentials/jsonld/lib/ContextResolver.js')
  return new Resolver({ sharedCache: cache })
}

/**
 * A resolver that counts copied terms: the processor copies all active terms for each context whose result is not
 * cached (JSON-LD 1.1, section 4.1.8). `weight` is the cost of a copied term. Throws when the budget is used up.
 */
export const countingResolver = async (budget: { terms: number }, weight: number): Promise<ContextResolver> => {
  const resolver = await contextResolver()
  return {
    resolve: async (options) => {
      options.activeCtx.revertToPreviousContext = revertToPreviousContext
      const resolved = await resolver.resolve(options)
      const uncached = resolved.filter((context) => context.getProcessed(options.activeCtx) === undefined)
      budget.terms -= uncached.length * options.activeCtx.mappings.size * weight
      if (budget.terms < 0) throw new CredoError('the documents use scoped contexts too often')
      return resolved
    },
  }
}
