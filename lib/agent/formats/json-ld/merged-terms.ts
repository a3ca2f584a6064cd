/**
 * Finds two names of one property. A signature covers their values as one set, so a verifier cannot tell which value
 * had which name.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import { isObject, type JsonObject } from '../../../json.ts'
import { countingResolver } from './context-use.ts'
import { type Budget, processor } from './rdf.ts'

/** Expands a member's name to an IRI (JSON-LD 1.1 API, section 5.2): by a term, a prefix or `@vocab`. */
const iriOf = (context: ActiveContext, name: string): string => {
  const term = context.mappings.get(name)
  if (term !== undefined) return String(term['@id'])
  const [prefix = '', ...suffix] = name.split(':')
  if (suffix.length === 0) return `${context['@vocab'] ?? ''}${name}`
  const base = context.mappings.get(prefix)?.['@id']
  return base === undefined ? name : `${base}${suffix.join(':')}`
}

/** Parts of a term's definition that distinguish its values from those of another term, such as the language. */
const COERCION = ['@type', '@language', '@direction'] as const

/** The coercion of a name's values, as text to compare; undefined for objects, which contain theirs. */
const coercionOf = (context: ActiveContext, name: string, value: unknown): string | undefined => {
  const mapping = context.mappings.get(name) ?? {}
  const isList = [mapping['@container']].flat().includes('@list')
  if (!isList && [value].flat().some(isObject)) return undefined
  return JSON.stringify([isList, COERCION.map((part) => (part in mapping ? [mapping[part]] : []))])
}

/** Whether a verifier could read a value of one name under the other name. */
const isMerged = (context: ActiveContext, value: JsonObject, one: string, other: string): boolean => {
  const [first, second] = [one, other].map((name) => coercionOf(context, name, value[name]))
  const isSame = first === undefined || second === undefined || first === second
  return isSame && !isDeepStrictEqual([value[one]].flat(), [value[other]].flat())
}

/** The first two names of a node for one property, with different values. Throws if the budget is used up. */
export const findMergedTerms = async (
  document: unknown,
  documentLoader: DocumentLoader,
  budget: Budget,
): Promise<[string, string] | undefined> => {
  const { processContext } = await processor()
  const options = { documentLoader, contextResolver: await countingResolver(budget, 1) }
  const withLocalContext = async (context: ActiveContext, local: unknown): Promise<ActiveContext> =>
    local === undefined ? context : processContext(context, local, options)

  async function* mergedPairs(value: unknown, outer: ActiveContext): AsyncGenerator<[string, string]> {
    if (Array.isArray(value)) for (const one of value) yield* mergedPairs(one, outer)
    if (!isObject(value)) return
    const context = await withLocalContext(outer, value['@context'])
    const names = Object.keys(value).filter((name) => name !== '@context')
    const types = names.filter((name) => iriOf(context, name) === '@type').flatMap((name) => value[name])
    let typed = context
    for (const type of types.map(String).sort())
      typed = await withLocalContext(typed, context.mappings.get(type)?.['@context'])
    const namesByProperty = new Map<string, string[]>()
    for (const name of names) {
      const mapping = typed.mappings.get(name)
      const property = `${iriOf(typed, name)} ${mapping?.reverse === true}`
      if (property.startsWith('@')) continue
      const earlierNames = namesByProperty.get(property) ?? []
      const other = earlierNames.find((other) => isMerged(typed, value, other, name))
      if (other !== undefined) yield [other, name]
      namesByProperty.set(property, [...earlierNames, name])
      if (mapping?.['@type'] !== '@json') yield* mergedPairs(value[name], await scoped(context, mapping))
    }
  }

  /** A property-scoped context may redefine protected terms, which `processContext` rejects. */
  const scoped = (context: ActiveContext, mapping: Record<string, unknown> | undefined): Promise<ActiveContext> =>
    withLocalContext(context, mapping?.['@context']).catch(() => context)

  for await (const pair of mergedPairs(document, await processContext(null, null, options))) return pair
  return undefined
}
