/**
 * Which contexts a presentation may use: those that the verifier trusts, by address or in full. A credential may also
 * have other contexts in full, as far as they say what a trusted context says. The holder writes the document, and the author of a
 * context decides what a signature is about.
 */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext } from '@digitalcredentials/jsonld'
import { shortReason } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { countingResolver } from './context-use.ts'
import { contextsIn, withContextAddresses } from './contexts-in-full.ts'
import { newBudget, processor } from './rdf.ts'
import { meaningOf } from './term-conflicts.ts'
import type { VerifierReading } from './verifier-contexts.ts'

/**
 * Maximum number of terms of all contexts of a document, counted for each use, because expanding a node costs time for
 * each term of its contexts. The credentials context has about 50 and schema.org 2,900; 20,000 take about a second.
 */
const MAX_TERMS = 20_000

/**
 * Maximum size of an inline context, in characters of JSON: terms that are prefixes of each other expand to IRIs as
 * long as all of them together.
 */
const MAX_INLINE = 32 * 1024

/**
 * The presentation as it is to be verified, with addresses in the place of trusted documents. Throws a CredoError that
 * names a context which the verifier does not trust.
 */
export const withTrustedContexts = async (received: unknown, reading: VerifierReading): Promise<unknown> => {
  const presentation = withContextAddresses(received, reading.documents)
  const ofCredentials = [Object(presentation).verifiableCredential].flat().map(contextsOf)
  const inline = new Set(ofCredentials.flat().filter(isPlain))
  const untrusted = new Set<string>()
  let terms = 0
  for (const context of contextsIn(presentation)) {
    const isInline = isObject(context) && inline.has(context)
    const size = isInline ? Object.keys(context).length : reading.termsOf(context)
    if (size === undefined) untrusted.add(typeof context === 'string' ? shortReason(context, 200) : 'an inline context')
    else terms += size
  }
  if (untrusted.size > 0) throw notTrusted([...untrusted].slice(0, 10).join(', '))
  if (terms > MAX_TERMS) throw new CredoError(`the presentation's contexts have more than ${MAX_TERMS} terms`)
  if (inline.size > 0) await assertSameMeaning(ofCredentials, reading)
  return presentation
}

const notTrusted = (contexts: string): CredoError =>
  new CredoError(`the presentation needs contexts that are not trusted: ${contexts}`)

const contextsOf = (document: unknown): unknown[] => [isObject(document) ? document['@context'] : undefined].flat()

const KEYWORDS = new Set(['@version', '@protected'])

/**
 * What a definition may say: nothing that is text until it is used, as the contexts of a term are and the names in
 * `@nest` and `@index`.
 */
const PARTS = new Set(['@id', '@type', '@reverse', '@container', '@language', '@direction', '@prefix', '@protected'])

/**
 * Whether a context consists of terms, without other contexts or keywords, which would change the meaning of names that
 * it does not list.
 */
const isPlain = (context: unknown): context is Record<string, unknown> =>
  isObject(context) &&
  Object.entries(context).every(([name, definition]) =>
    name.startsWith('@')
      ? KEYWORDS.has(name)
      : !isObject(definition) || Object.keys(definition).every((part) => PARTS.has(part)),
  ) &&
  JSON.stringify(context).length <= MAX_INLINE

/**
 * Each term of an inline context has to mean, where it stands among the contexts of its credential, what it means in a
 * trusted one: among the contexts of the request, or in one that the service carries. What the processor makes of a
 * definition is compared, not its text.
 */
const assertSameMeaning = async (
  ofCredentials: readonly (readonly unknown[])[],
  { addresses, carried, documentLoader }: VerifierReading,
): Promise<void> => {
  const { processContext } = await processor()
  // The processor copies all terms for each context, also for an empty one.
  const options = { documentLoader, contextResolver: await countingResolver(newBudget(), 1) }
  const initial = await processContext(null, null, options)
  const sources = [addresses, ...carried.map((address) => [address])]
  const trusted: ActiveContext[] = []

  const isTrusted = async (meaning: string, term: string): Promise<boolean> => {
    for (const [index, source] of sources.entries()) {
      const reference = trusted[index] ?? (await processContext(initial, source, options))
      trusted[index] = reference
      if (meaningOf(reference, term) === meaning) return true
    }
    return false
  }

  const assertAllTrusted = async (contexts: readonly unknown[]): Promise<void> => {
    let active = initial
    for (const context of contexts) {
      active = await processContext(active, context, options).catch((error) => {
        throw error instanceof CredoError ? error : notTrusted('an inline context that is not JSON-LD among the others')
      })
      if (!isObject(context)) continue
      for (const term of Object.keys(context).filter((name) => !name.startsWith('@'))) {
        const meaning = meaningOf(active, term)
        if (meaning === undefined || !(await isTrusted(meaning, term)))
          throw notTrusted(
            `an inline context, in which "${shortReason(term, 100)}" means what it means in none of them`,
          )
      }
    }
  }

  for (const contexts of ofCredentials) if (contexts.some(isObject)) await assertAllTrusted(contexts)
}
