/**
 * Finds two names of one property. A signature covers their values as one set, so nobody who reads what was signed can
 * tell which value had which name.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import { isObject, type JsonObject } from '../../../json.ts'
import { countingResolver } from './context-use.ts'
import { type Budget, processor } from './rdf.ts'

/** The IRI of a member's name (JSON-LD 1.1 API, section 5.2): of its term, its prefix, the IRI itself, or by `@vocab`. */
const iriOf = (context: ActiveContext, name: string): string => {
  const term = context.mappings.get(name)
  if (term !== undefined) return String(term['@id'])
  const [prefix = '', ...suffix] = name.split(':')
  if (suffix.length === 0) return `${context['@vocab'] ?? ''}${name}`
  const base = context.mappings.get(prefix)?.['@id']
  return base === undefined ? name : `${base}${suffix.join(':')}`
}

/** Parts of a term that tell its texts from those of another one: in other languages, as an example (section 4.2.4). */
const COERCION = ['@type', '@language', '@direction'] as const

/** What tells the values of two names of a property apart; undefined for objects, which have it in themselves. */
const coercionOf = (context: ActiveContext, name: string, value: unknown): string | undefined => {
  const mapping = context.mappings.get(name) ?? {}
  const isList = [mapping['@container']].flat().includes('@list')
  if (!isList && [value].flat().some(isObject)) return undefined
  return JSON.stringify([isList, COERCION.map((part) => (part in mapping ? [mapping[part]] : []))])
}

/** Whether values of a name would be read under the other one. */
const isMerged = (context: ActiveContext, value: JsonObject, one: string, other: string): boolean => {
  const [first, second] = [one, other].map((name) => coercionOf(context, name, value[name]))
  const isSame = first === undefined || second === undefined || first === second
  return isSame && !isDeepStrictEqual([value[one]].flat(), [value[other]].flat())
}

/** The first two names of a node that have one meaning, with other values. Throws if the budget is used up. */
export const findMergedTerms = async (
  document: unknown,
  documentLoader: DocumentLoader,
  budget: Budget,
): Promise<[string, string] | undefined> => {
  const { processContext } = await processor()
  const options = { documentLoader, contextResolver: await countingResolver(budget, 1) }
  const within = async (context: ActiveContext, local: unknown): Promise<ActiveContext> =>
    local === undefined ? context : processContext(context, local, options)

  async function* mergedIn(value: unknown, outer: ActiveContext): AsyncGenerator<[string, string]> {
    if (Array.isArray(value)) for (const one of value) yield* mergedIn(one, outer)
    if (!isObject(value)) return
    const context = await within(outer, value['@context'])
    const names = Object.keys(value).filter((name) => name !== '@context')
    const types = names.filter((name) => iriOf(context, name) === '@type').flatMap((name) => value[name])
    let typed = context
    for (const type of types.map(String).sort()) typed = await within(typed, context.mappings.get(type)?.['@context'])
    const named = new Map<string, string[]>()
    for (const name of names) {
      const mapping = typed.mappings.get(name)
      const property = `${iriOf(typed, name)} ${mapping?.reverse === true}`
      if (property.startsWith('@')) continue
      const others = named.get(property) ?? []
      const other = others.find((other) => isMerged(typed, value, other, name))
      if (other !== undefined) yield [other, name]
      named.set(property, [...others, name])
      if (mapping?.['@type'] !== '@json') yield* mergedIn(value[name], await scoped(context, mapping))
    }
  }

  /** A context of a property may redefine protected terms, which the processor allows only where it expands. */
  const scoped = (context: ActiveContext, mapping: Record<string, unknown> | undefined): Promise<ActiveContext> =>
    within(context, mapping?.['@context']).catch(() => context)

  for await (const pair of mergedIn(document, await processContext(null, null, options))) return pair
  return undefined
}
