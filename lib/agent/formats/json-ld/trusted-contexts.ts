/**
 * Checks that a presentation uses only contexts that the verifier trusts, by address or inline: the holder writes the
 * document, and contexts determine what its signatures cover. A credential may have another inline context if a trusted
 * context defines each of its terms in the same way.
 */
import { CredoError } from '@credo-ts/core'
import type { ActiveContext } from '@digitalcredentials/jsonld'
import { shortReason } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { countingResolver } from './context-use.ts'
import { contextsIn, withContextAddresses } from './inline-contexts.ts'
import { newBudget, processor } from './rdf.ts'
import { meaningOf } from './term-conflicts.ts'
import type { LoadedContexts } from './verifier-contexts.ts'

/**
 * Maximum number of terms of all contexts in a document. Each use of a context counts, because expanding a node takes
 * time for each term. The credentials context has about 50 and schema.org 2,900; 20,000 take about a second.
 */
const MAX_TERMS = 20_000

/**
 * Maximum size of an inline context, in characters of JSON: terms that are prefixes of each other can expand to an IRI
 * as long as the whole context.
 */
const MAX_INLINE = 32 * 1024

/**
 * The presentation to verify, in which addresses replace inline contexts that equal trusted documents. Throws a
 * CredoError that lists the contexts which the verifier does not trust.
 */
export const withTrustedContexts = async (received: unknown, loadedContexts: LoadedContexts): Promise<unknown> => {
  const presentation = withContextAddresses(received, loadedContexts.documents)
  const credentialContexts = [Object(presentation).verifiableCredential].flat().map(contextsOf)
  const inline = new Set(credentialContexts.flat().filter(hasOnlyTerms))
  const untrusted = new Set<string>()
  let terms = 0
  for (const context of contextsIn(presentation)) {
    const isInline = isObject(context) && inline.has(context)
    const size = isInline ? Object.keys(context).length : loadedContexts.termCountAt(context)
    if (size === undefined) untrusted.add(typeof context === 'string' ? shortReason(context, 200) : 'an inline context')
    else terms += size
  }
  if (untrusted.size > 0) throw notTrusted([...untrusted].slice(0, 10).join(', '))
  if (terms > MAX_TERMS) throw new CredoError(`the presentation's contexts have more than ${MAX_TERMS} terms`)
  if (inline.size > 0) await assertSameMeaning(credentialContexts, loadedContexts)
  return presentation
}

const notTrusted = (contexts: string): CredoError =>
  new CredoError(`the presentation needs contexts that are not trusted: ${contexts}`)

const contextsOf = (document: unknown): unknown[] => [isObject(document) ? document['@context'] : undefined].flat()

const CONTEXT_KEYWORDS = new Set(['@version', '@protected'])

/**
 * Keywords that a term definition may have. Not `@context`, `@nest` and `@index`, whose values are expanded only where
 * the term is used.
 */
const TERM_KEYWORDS = new Set([
  '@id',
  '@type',
  '@reverse',
  '@container',
  '@language',
  '@direction',
  '@prefix',
  '@protected',
])

/**
 * Whether a context consists only of term definitions, without scoped contexts and without keywords that would change
 * the meaning of other names.
 */
const hasOnlyTerms = (context: unknown): context is Record<string, unknown> =>
  isObject(context) &&
  Object.entries(context).every(([name, definition]) =>
    name.startsWith('@')
      ? CONTEXT_KEYWORDS.has(name)
      : !isObject(definition) || Object.keys(definition).every((part) => TERM_KEYWORDS.has(part)),
  ) &&
  JSON.stringify(context).length <= MAX_INLINE

/**
 * Throws a CredoError unless each term of an inline context means the same, when it is processed among the contexts of
 * its credential, as with the contexts of the request or in a built-in context. Processed definitions are compared.
 */
const assertSameMeaning = async (
  credentialContexts: readonly (readonly unknown[])[],
  { addresses, builtIn, documentLoader }: LoadedContexts,
): Promise<void> => {
  const { processContext } = await processor()
  // With a budget, because the processor copies all terms for each context, even an empty one.
  const options = { documentLoader, contextResolver: await countingResolver(newBudget(), 1) }
  const initial = await processContext(null, null, options)
  const sources = [addresses, ...builtIn.map((address) => [address])]
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
        throw error instanceof CredoError
          ? error
          : notTrusted('an inline context that is not valid after the contexts before it')
      })
      if (!isObject(context)) continue
      for (const term of Object.keys(context).filter((name) => !name.startsWith('@'))) {
        const meaning = meaningOf(active, term)
        if (meaning === undefined || !(await isTrusted(meaning, term)))
          throw notTrusted(`an inline context, which defines "${shortReason(term, 100)}" as no trusted context does`)
      }
    }
  }

  for (const contexts of credentialContexts) if (contexts.some(isObject)) await assertAllTrusted(contexts)
}
