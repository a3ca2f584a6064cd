/** Documents that are to be trusted as contexts: what they define, and whether they need other documents. */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import type { ContextResolver } from '@digitalcredentials/jsonld/lib/ContextResolver.js'
import { findFlaw, isObject, MAX_DEPTH, UNSAFE_NAMES } from '../../../json.ts'
import { contextResolver } from './context-use.ts'
import { processor } from './rdf.ts'
import type { ContextDocument } from './verifier-contexts.ts'

/**
 * Maximum product of the names in all documents and of those that make the processor copy all terms: contexts of terms,
 * and terms in the form of IRIs. 100,000 take about 20 ms, and a document of 128 KiB could have 40 times the maximum.
 */
const MAX_COPIES = 1_000_000

/** Throws a CredoError if processing the documents would take seconds. */
export const assertProcessable = (documents: readonly ContextDocument[]): void => {
  let names = 0
  let copies = 0
  const pending: unknown[] = documents.map((document) => document['@context'])
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (isObject(value))
      for (const name of Object.keys(value)) {
        names++
        if (name === '@context' || /[:/]/.test(name)) copies++
      }
    if (typeof value === 'object' && value !== null) pending.push(...Object.values(value))
  }
  if (names * copies > MAX_COPIES) throw new CredoError('the contexts have too many contexts of terms')
}

/** Whether a JSON value is a context by itself: an object with `@context` that is valid and needs no other document. */
export const isOwnContext = async (json: unknown): Promise<boolean> => {
  if (!isObject(json) || findFlaw(json, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES }) !== undefined) return false
  const contexts = [json['@context']].flat()
  if (!contexts.every(isObject)) return false
  try {
    assertProcessable([json])
    // The shared cache has documents that the loader would not load.
    const resolver = await contextResolver(new Map())
    await definedTerms([contexts], async () => Promise.reject(new CredoError('no other document')), resolver)
    return true
  } catch {
    return false
  }
}

const processed = async (
  contexts: readonly unknown[],
  documentLoader: DocumentLoader,
  resolver?: ContextResolver,
): Promise<ActiveContext> => {
  const { processContext } = await processor()
  const options = { documentLoader, contextResolver: resolver ?? (await contextResolver()) }
  let active = await processContext(null, null, options)
  for (const context of contexts) active = await processContext(active, context, options)
  return active
}

const termsOf = ({ mappings }: Pick<ActiveContext, 'mappings'>): ReadonlySet<string> =>
  new Set([...mappings.values()].map((mapping) => String(mapping?.['@id'])))

/** The IRIs of all terms of contexts, in order. */
export const definedTerms = async (...of: Parameters<typeof processed>): Promise<ReadonlySet<string>> =>
  termsOf(await processed(...of))

/**
 * Whether the last of a document's contexts defines one of the IRIs, as a term or in its vocabulary. It is read by
 * itself or, if it says nothing without those before it, as what it adds to them.
 */
export const definesOne = async (
  contexts: readonly unknown[],
  iris: readonly string[],
  documentLoader: DocumentLoader,
): Promise<boolean> => {
  const active = await processed(contexts.slice(-1), documentLoader).catch(async () => {
    const before = await processed(contexts.slice(0, -1), documentLoader)
    const after = await processed(contexts, documentLoader)
    const mappings = new Map([...after.mappings].filter(([term]) => !before.mappings.has(term)))
    return { mappings, ...(before['@vocab'] !== after['@vocab'] && { '@vocab': after['@vocab'] }) }
  })
  const [terms, vocabulary] = [termsOf(active), active['@vocab']]
  return iris.some((iri) => terms.has(iri) || (typeof vocabulary === 'string' && iri.startsWith(vocabulary)))
}
