/** Finds contexts that give a term two meanings: read with both, a credential could say what nobody signed. */
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import { contextResolver } from './context-use.ts'
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

/**
 * What a term means in a processed context, as text to compare; undefined if it is no term of it. A part that is null is not absent: it shuts out a
 * default. A prefix gives other names their meaning.
 */
export const meaningOf = ({ mappings }: ActiveContext, term: string): string | undefined => {
  const mapping = mappings.get(term)
  if (mapping === undefined) return undefined
  return JSON.stringify([mapping._prefix === true, MEANING.map((name) => (name in mapping ? [mapping[name]] : []))])
}

/** Keywords of a context that change the meaning of others: of names without a term, of relative IRIs, and of texts. */
const DEFAULTS = ['@vocab', '@base', '@language', '@direction'] as const

/** A first `@vocab` is no change: it concerns only names that meant nothing before. */
const isChanged = (name: (typeof DEFAULTS)[number], before: ActiveContext, after: ActiveContext): boolean =>
  before[name] !== after[name] && !(name === '@vocab' && before[name] === undefined)

const redefined = (before: ActiveContext, after: ActiveContext, terms: Iterable<string>): string | undefined =>
  DEFAULTS.find((name) => isChanged(name, before, after)) ??
  [...terms].find((term) => meaningOf(before, term) !== meaningOf(after, term))

/** Maximum depth of contexts within terms (section 4.1.8). */
const MAX_SCOPES = 3

/**
 * The first context, in reading order, that redefines a term of another one, also within a type or a property, or whose terms mean something else
 * there because of a later one. Undefined if there is none.
 */
export const findTermConflict = async (
  addresses: readonly string[],
  documentLoader: DocumentLoader,
): Promise<TermConflict | undefined> => {
  const { processContext } = await processor()
  const options = { documentLoader, contextResolver: await contextResolver() }
  const origins = new Map<string, string>()
  /** By address: the context of all addresses up to it. */
  const homes = new Map<string, ActiveContext>()
  let active = await processContext(null, null, options)

  for (const address of addresses) {
    const next = await processOver(active, address)
    const term = next === undefined ? '@protected' : redefined(active, next, active.mappings.keys())
    if (next === undefined || term !== undefined) return { address, term: term ?? '@protected' }
    for (const defined of next.mappings.keys()) if (!origins.has(defined)) origins.set(defined, address)
    homes.set(address, next)
    active = next
  }

  // Not the first one, the credentials context: its RsaSignature2018 has prefixes that it does not define. No such proof is verified here.
  for (const address of addresses.slice(1)) {
    const own = [...origins].filter(([, origin]) => origin === address).map(([term]) => term)
    const term =
      (await redefinedWithin(active, own, address, MAX_SCOPES)) ??
      (await changedWithin(homes.get(address) ?? active, active, own))
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

  /** A term within one of these that means something else among all contexts than it meant at home: the scoped context is text until it is used. */
  async function changedWithin(
    home: ActiveContext,
    all: ActiveContext,
    terms: Iterable<string>,
    scopes = MAX_SCOPES,
  ): Promise<string | undefined> {
    if (scopes === 0 || home === all) return undefined
    for (const term of terms) {
      const scoped = home.mappings.get(term)?.['@context']
      if (scoped === undefined || scoped === null) continue
      const [before, after] = [await processOver(home, scoped), await processOver(all, scoped)]
      // Protected terms that exclude each other are an error wherever both are used: nothing is read wrongly.
      if (before === undefined || after === undefined) continue
      const names = [...before.mappings.keys()]
      const added = names.filter((name) => !home.mappings.has(name))
      const changed =
        names.find((name) => meaningOf(before, name) !== meaningOf(after, name)) ??
        (await changedWithin(before, after, added, scopes - 1))
      if (changed !== undefined) return changed
    }
    return undefined
  }
}
