/** Checks documents that are to be trusted as contexts: the terms that they define, and whether they load others. */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext, DocumentLoader } from '@digitalcredentials/jsonld'
import type { ContextResolver } from '@digitalcredentials/jsonld/lib/ContextResolver.js'
import { findViolation, isObject, MAX_DEPTH, UNSAFE_NAMES } from '../../../json.ts'
import { contextResolver } from './context-use.ts'
import { processor } from './rdf.ts'
import type { ContextDocument } from './verifier-contexts.ts'

/**
 * Maximum product of two counts: all names in the documents, and the names for which the processor copies all terms
 * (scoped contexts, and terms in the form of IRIs). A product of 100,000 takes about 20 ms; a document of 128 KiB could
 * have 40 times the maximum.
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
  if (names * copies > MAX_COPIES) throw new CredoError('the contexts have too many scoped contexts')
}

/** Whether a JSON value is a self-contained context: an object with a valid `@context` that loads no other document. */
export const isSelfContainedContext = async (json: unknown): Promise<boolean> => {
  if (!isObject(json) || findViolation(json, { maxDepth: MAX_DEPTH, forbidden: UNSAFE_NAMES }) !== undefined)
    return false
  const contexts = [json['@context']].flat()
  if (!contexts.every(isObject)) return false
  try {
    assertProcessable([json])
    // Not the shared cache: it has contexts that this loader rejects.
    const resolver = await contextResolver(new Map())
    await definedTerms([contexts], async () => Promise.reject(new CredoError('no other document')), resolver)
    return true
  } catch {
    return false
  }
}

const activeContextOf = async (
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

const irisOfTerms = ({ mappings }: Pick<ActiveContext, 'mappings'>): ReadonlySet<string> =>
  new Set([...mappings.values()].map((mapping) => String(mapping?.['@id'])))

/** The IRIs of all terms of the contexts, which are processed in order. */
export const definedTerms = async (...of: Parameters<typeof activeContextOf>): Promise<ReadonlySet<string>> =>
  irisOfTerms(await activeContextOf(...of))

/**
 * Whether the last of a document's contexts defines one of the IRIs, as a term or in its `@vocab`. The context is
 * processed alone or, if that fails, after those before it: then only the terms that it adds count.
 */
export const definesAnyOf = async (
  contexts: readonly unknown[],
  iris: readonly string[],
  documentLoader: DocumentLoader,
): Promise<boolean> => {
  const active = await activeContextOf(contexts.slice(-1), documentLoader).catch(async () => {
    const before = await activeContextOf(contexts.slice(0, -1), documentLoader)
    const after = await activeContextOf(contexts, documentLoader)
    const mappings = new Map([...after.mappings].filter(([term]) => !before.mappings.has(term)))
    return { mappings, ...(before['@vocab'] !== after['@vocab'] && { '@vocab': after['@vocab'] }) }
  })
  const [terms, vocabulary] = [irisOfTerms(active), active['@vocab']]
  return iris.some((iri) => terms.has(iri) || (typeof vocabulary === 'string' && iri.startsWith(vocabulary)))
}
