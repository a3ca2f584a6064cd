/** The JSON-LD processor's resolver of contexts, on a budget: who writes a document decides how often contexts are processed. */
import { CredoError } from '@credo-ts/core'
import type { ContextResolver, ResolvedContext } from '@digitalcredentials/jsonld/lib/ContextResolver.js'
import { Bounded } from '../../bounded.ts'

/** What the processor has made of contexts that never change, for all documents. */
const sharedCache = new Bounded<string, Map<string, ResolvedContext>>(100)

/**
 * A resolver that the processor asks for each context that a document, a type or a property has. Where the result is not known, the
 * processor copies all terms in force (JSON-LD 1.1, section 4.1.8, leaves no other way). `weight`: what a copied term costs. The resolver
 * throws where the budget is used up.
 */
export const countingResolver = async (budget: { terms: number }, weight: number): Promise<ContextResolver> => {
  const { default: Resolver } = await import('@digitalcredentials/jsonld/lib/ContextResolver.js')
  const resolver = new Resolver({ sharedCache })
  return {
    resolve: async (asked) => {
      const resolved = await resolver.resolve(asked)
      const fresh = resolved.filter((context) => context.getProcessed(asked.activeCtx) === undefined)
      budget.terms -= fresh.length * asked.activeCtx.mappings.size * weight
      if (budget.terms < 0) throw new CredoError('the documents use the contexts of types and properties too often')
      return resolved
    },
  }
}
