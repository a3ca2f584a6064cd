/** Finds contexts that give a term two meanings: read with both, a credential could say what nobody signed. */
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import { processor } from './rdf.ts'

export interface TermConflict {
  /** The context that redefines the term. */
  address: string
  term: string
}

/** The parts of a term's meaning (JSON-LD 1.1, section 9.15.1), without its protection. */
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

const meaningOf = (context: ActiveContext, term: string): string => {
  const mapping = context.mappings.get(term)
  return JSON.stringify(MEANING.map((name) => mapping?.[name] ?? null))
}

/** Keywords of a context that change the meaning of names without a term. */
const DEFAULTS = ['@vocab', '@base', '@language', '@direction'] as const

const redefined = (before: ActiveContext, after: ActiveContext, terms: Iterable<string>): string | undefined => {
  const changed = DEFAULTS.find((name) => (before[name] ?? undefined) !== undefined && before[name] !== after[name])
  return changed ?? [...terms].find((term) => meaningOf(before, term) !== meaningOf(after, term))
}

/** Maximum depth of contexts within terms (section 4.1.8). */
const MAX_SCOPES = 3

/** The first context, in reading order, that redefines a term of another one, also within a type or a property. Undefined if there is none. */
export const findTermConflict = async (
  addresses: readonly string[],
  documentLoader: DocumentLoader,
): Promise<TermConflict | undefined> => {
  const { processContext } = await processor()
  const options = { documentLoader }
  const origins = new Map<string, string>()
  let active = await processContext(null, null, options)

  for (const address of addresses) {
    const next = await processOver(active, address)
    const term = next === undefined ? '@protected' : redefined(active, next, active.mappings.keys())
    if (next === undefined || term !== undefined) return { address, term: term ?? '@protected' }
    for (const defined of next.mappings.keys()) if (!origins.has(defined)) origins.set(defined, address)
    active = next
  }

  for (const address of addresses.slice(1)) {
    const own = [...origins].filter(([, origin]) => origin === address).map(([term]) => term)
    const term = await redefinedWithin(active, own, address, MAX_SCOPES)
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

  async function redefinedWithin(
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
      const deeper = await redefinedWithin(inner, added, address, scopes - 1)
      if (deeper !== undefined) return deeper
    }
    return undefined
  }
}
