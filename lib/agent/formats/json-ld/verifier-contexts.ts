/**
 * The contexts with which a verifier reads credentials. request-contexts.ts determines them and their order when the
 * proof request is created; the holder has no influence on them.
 */
import type { AgentContext } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import * as v from 'valibot'
import { Bounded } from '../../../bounded.ts'
import { parseDocument } from '../../../json.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { BUNDLED_CONTEXTS, bundledContext, COMMUNITY_CONTEXTS, SCHEMA_ORG } from './bundled-contexts.ts'
import { documentLoader } from './document-loader.ts'
import { readContexts } from './stored-contexts.ts'
import { findTermConflict } from './term-conflicts.ts'

/** A context of a proof request: built-in, or stored. */
const VerifierContext = v.object({
  address: v.string(),
  stored: v.optional(v.object({ scope: v.string(), digest: v.string() })),
})
export type VerifierContext = v.InferOutput<typeof VerifierContext>

export const VerifierContexts = v.array(VerifierContext)

/** A JSON document with a member `@context`. */
export type ContextDocument = Record<string, unknown>

export const parseContext = (text: string): ContextDocument => v.parse(v.looseObject({}), parseDocument(text))

/**
 * Loads only DIDs and trusted contexts, because verification fetches no context. A document of the request takes
 * precedence over a community context.
 */
export const verifierDocumentLoader = (
  agentContext: AgentContext,
  documents: ReadonlyMap<string, ContextDocument>,
): DocumentLoader =>
  documentLoader(agentContext, async (address) => {
    const document = documents.get(address) ?? COMMUNITY_CONTEXTS.get(address)
    if (document === undefined) throw new Error(`the context ${address} is not trusted`)
    return document
  })

/** The contexts of a proof request, as its verification uses them. */
export interface LoadedContexts {
  /** The contexts of the request, in order. */
  addresses: readonly string[]
  /** Built-in contexts, which a presentation may use too. */
  builtIn: readonly string[]
  /** All of them by address, those of the request first. */
  documents: ReadonlyMap<string, ContextDocument>
  /** Number of terms of the context at an address; undefined if it is not trusted. */
  termCountAt(context: unknown): number | undefined
  documentLoader: DocumentLoader
  /** The contexts, in order, for the claims of a document that uses the addresses `used`. */
  contextsFor(used: ReadonlySet<string>): Promise<string[]>
}

const termCountOf = (document: ContextDocument): number =>
  [document['@context']].flat().reduce((sum: number, context) => sum + Object.keys(Object(context)).length, 0)

/** Cache: whether schema.org redefines no term of the contexts of a request. */
const schemaOrgCompatibility = new Bounded<string, Promise<boolean>>(100)

/** Reads the contexts of a proof request for its verification, in the current unit of work. */
export const readVerifierContexts = async (
  agentContext: AgentContext,
  contexts: readonly VerifierContext[],
): Promise<LoadedContexts> => {
  const storedContexts = contexts.flatMap(({ address, stored }) => (stored === undefined ? [] : [{ address, stored }]))
  const unit = currentUnit()
  const stored = storedContexts.map((context) => context.stored)
  const texts = await readContexts(unit, stored)
  const storedDocuments = new Map(
    storedContexts.map(({ address }, index) => [address, parseContext(texts[index] ?? '')]),
  )
  const documentLoader = verifierDocumentLoader(agentContext, storedDocuments)
  const addresses = contexts.map(({ address }) => address)
  const bundled = [...BUNDLED_CONTEXTS].map(
    async (address) => [address, await bundledContext(agentContext, address)] as const,
  )
  // The loader has the same precedence.
  const all = new Map([...COMMUNITY_CONTEXTS, ...storedDocuments, ...(await Promise.all(bundled))])
  const isRequested = ([address]: [string, unknown]): number => Number(addresses.includes(address))
  const documents = new Map([...all].sort((one, other) => isRequested(other) - isRequested(one)))
  const termCounts = new Map([...documents].map(([address, document]) => [address, termCountOf(document)]))
  const isSchemaOrgCompatible = (): Promise<boolean> => {
    const key = JSON.stringify(contexts)
    const conflict = () => findTermConflict([...addresses, SCHEMA_ORG], documentLoader)
    return (
      schemaOrgCompatibility.get(key) ??
      schemaOrgCompatibility.set(
        key,
        conflict().then((conflict) => conflict === undefined),
      )
    )
  }

  return {
    addresses,
    builtIn: [...BUNDLED_CONTEXTS, ...COMMUNITY_CONTEXTS.keys()],
    documents,
    termCountAt: (context) => (typeof context === 'string' ? termCounts.get(context) : undefined),
    documentLoader,
    // schema.org is the only bundled general vocabulary. It is added if it redefines no term of the request's contexts.
    contextsFor: async (used) =>
      used.has(SCHEMA_ORG) && !addresses.includes(SCHEMA_ORG) && (await isSchemaOrgCompatible())
        ? [...addresses, SCHEMA_ORG]
        : addresses,
  }
}
