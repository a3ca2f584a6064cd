/** Finds contexts that define a term differently: with both, a credential could say what its issuer did not sign. */
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import { contextResolver } from './context-use.ts'
import { processor } from './rdf.ts'

export interface TermConflict {
  /** The context that redefines the term. */
  address: string
  term: string
}

/** The parts of a term definition (JSON-LD 1.1, section 9.15.1) that give a term its meaning: all but `@protected`. */
const MEANING = [
  '@id',
  'reverse',
  '@type',
  '@container',
  '@language',
  '@direction',
  '@nest',
  '@index',
  '@context',
] as const

/**
 * The meaning of a term in a processed context, as text to compare; undefined if the context does not define it. A part
 * that is null differs from an absent one: it turns off a default. `_prefix` counts, because a prefix expands names.
 */
export const meaningOf = ({ mappings }: ActiveContext, term: string): string | undefined => {
  const mapping = mappings.get(term)
  if (mapping === undefined) return undefined
  return JSON.stringify([mapping._prefix === true, MEANING.map((name) => (name in mapping ? [mapping[name]] : []))])
}

/** Keywords of a context that apply to names without a term, to relative IRIs, and to strings. */
const DEFAULTS = ['@vocab', '@base', '@language', '@direction'] as const

/** A first `@vocab` is not a change: it applies only to names that were undefined before. */
const isChanged = (name: (typeof DEFAULTS)[number], before: ActiveContext, after: ActiveContext): boolean =>
  before[name] !== after[name] && !(name === '@vocab' && before[name] === undefined)

const redefined = (before: ActiveContext, after: ActiveContext, terms: Iterable<string>): string | undefined =>
  DEFAULTS.find((name) => isChanged(name, before, after)) ??
  [...terms].find((term) => meaningOf(before, term) !== meaningOf(after, term))

/** Maximum depth of scoped contexts (section 4.1.8). */
const MAX_SCOPES = 3

/**
 * The first context, in order, that redefines a term of another one, also in a scoped context, or whose scoped contexts
 * mean something else because of a later context. Undefined if there is none.
 */
export const findTermConflict = async (
  addresses: readonly string[],
  documentLoader: DocumentLoader,
): Promise<TermConflict | undefined> => {
  const { processContext } = await processor()
  const options = { documentLoader, contextResolver: await contextResolver() }
  const origins = new Map<string, string>()
  /** By address: the context of all addresses up to it. */
  const definingContexts = new Map<string, ActiveContext>()
  let active = await processContext(null, null, options)

  for (const address of addresses) {
    const next = await processOver(active, address)
    const term = next === undefined ? '@protected' : redefined(active, next, active.mappings.keys())
    if (next === undefined || term !== undefined) return { address, term: term ?? '@protected' }
    for (const defined of next.mappings.keys()) if (!origins.has(defined)) origins.set(defined, address)
    definingContexts.set(address, next)
    active = next
  }

  // Without the first, the credentials context: its scoped context of RsaSignature2018 uses prefixes that it does not
  // define. Proofs of that type are not verified here.
  for (const address of addresses.slice(1)) {
    const ownTerms = [...origins].filter(([, origin]) => origin === address).map(([term]) => term)
    const term =
      (await redefinedInScopes(active, ownTerms, address, MAX_SCOPES)) ??
      (await changedInScopes(definingContexts.get(address) ?? active, active, ownTerms))
    if (term !== undefined) return { address, term }
  }
  return undefined

  /** Undefined if the context redefines a protected term. */
  async function processOver(context: ActiveContext, local: unknown): Promise<ActiveContext | undefined> {
    try {
      return await processContext(context, local, options)
    } catch (error) {
      if (error instanceof Error && /protected/.test(error.message)) return undefined
      throw error
    }
  }

  async function redefinedInScopes(
    context: ActiveContext,
    terms: Iterable<string>,
    address: string,
    scopes: number,
  ): Promise<string | undefined> {
    if (scopes === 0) return undefined
    const others = [...origins].filter(([, origin]) => origin !== address).map(([term]) => term)
    for (const term of terms) {
      const scoped = context.mappings.get(term)?.['@context']
      if (scoped === undefined || scoped === null) continue
      const inner = await processOver(context, scoped)
      const changed = inner === undefined ? '@protected' : redefined(context, inner, others)
      if (inner === undefined || changed !== undefined) return changed
      const added = [...inner.mappings.keys()].filter((name) => !context.mappings.has(name))
      const deeper = await redefinedInScopes(inner, added, address, scopes - 1)
      if (deeper !== undefined) return deeper
    }
    return undefined
  }

  /**
   * The first term in a scoped context of `terms` that means something else with all contexts than without the later
   * ones: a scoped context is processed only where it is used.
   */
  async function changedInScopes(
    definingContext: ActiveContext,
    all: ActiveContext,
    terms: Iterable<string>,
    scopes = MAX_SCOPES,
  ): Promise<string | undefined> {
    if (scopes === 0 || definingContext === all) return undefined
    for (const term of terms) {
      const scoped = definingContext.mappings.get(term)?.['@context']
      if (scoped === undefined || scoped === null) continue
      const [before, after] = [await processOver(definingContext, scoped), await processOver(all, scoped)]
      // A conflict of protected terms is an error of the processor wherever both are used, so nothing is misread.
      if (before === undefined || after === undefined) continue
      const names = [...before.mappings.keys()]
      const added = names.filter((name) => !definingContext.mappings.has(name))
      const changed =
        names.find((name) => meaningOf(before, name) !== meaningOf(after, name)) ??
        (await changedInScopes(before, after, added, scopes - 1))
      if (changed !== undefined) return changed
    }
    return undefined
  }
}
