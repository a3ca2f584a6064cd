/**
 * The contexts with which a verifier reads credentials. request-contexts.ts fixes them and their order with the proof
 * request; the holder has no influence on them.
 */
import type { AgentContext } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import * as v from 'valibot'
import { Bounded } from '../../../bounded.ts'
import { parseDocument } from '../../../json.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { BUNDLED_CONTEXTS, bundledContext, COMMUNITY_CONTEXTS, SCHEMA_ORG } from './bundled-contexts.ts'
import { readContexts } from './contexts.ts'
import { documentLoader } from './document-loader.ts'
import { findTermConflict } from './term-conflicts.ts'

/** A context of a proof request: bundled or stored. */
const VerifierContext = v.object({
  address: v.string(),
  stored: v.optional(v.object({ scope: v.string(), digest: v.string() })),
})
export type VerifierContext = v.InferOutput<typeof VerifierContext>

export const VerifierContexts = v.array(VerifierContext)

/** With a member `@context`. */
export type ContextDocument = Record<string, unknown>

export const parseContext = (text: string): ContextDocument => v.parse(v.looseObject({}), parseDocument(text))

/**
 * Loads only trusted contexts and DIDs: verification fetches no context. The verifier's document for an address takes
 * precedence.
 */
export const loaderOf = (agentContext: AgentContext, documents: ReadonlyMap<string, ContextDocument>): DocumentLoader =>
  documentLoader(agentContext, async (address) => {
    const document = documents.get(address) ?? COMMUNITY_CONTEXTS.get(address)
    if (document === undefined) throw new Error(`the context ${address} is not trusted`)
    return document
  })

/** The contexts of a verification. */
export interface VerifierReading {
  /** The contexts of the request, in order. */
  addresses: readonly string[]
  /** Contexts that the service carries. A document may use them too. */
  carried: readonly string[]
  /** All of them by address, those of the request first. */
  documents: ReadonlyMap<string, ContextDocument>
  /** Number of terms of a document's context; undefined if it is not a trusted address. */
  termsOf(context: unknown): number | undefined
  documentLoader: DocumentLoader
  /** The contexts, in order, for showing a document that uses `used`. */
  contextsFor(used: ReadonlySet<string>): Promise<string[]>
}

const sizeOf = (document: ContextDocument): number =>
  [document['@context']].flat().reduce((sum: number, context) => sum + Object.keys(Object(context)).length, 0)

/** Whether schema.org redefines no term of a list of contexts. */
const compatible = new Bounded<string, Promise<boolean>>(100)

/** Reads the contexts of a proof request for its verification, in the running unit of work. */
export const readVerifierContexts = async (
  agentContext: AgentContext,
  contexts: readonly VerifierContext[],
): Promise<VerifierReading> => {
  const storedContexts = contexts.flatMap(({ address, stored }) => (stored === undefined ? [] : [{ address, stored }]))
  const unit = currentUnit()
  const stored = storedContexts.map((context) => context.stored)
  const texts = await readContexts(unit, stored)
  const given = new Map(storedContexts.map(({ address }, index) => [address, parseContext(texts[index] ?? '')]))
  const documentLoader = loaderOf(agentContext, given)
  const addresses = contexts.map(({ address }) => address)
  const bundled = [...BUNDLED_CONTEXTS].map(
    async (address) => [address, await bundledContext(agentContext, address)] as const,
  )
  // As the loader takes them.
  const all = new Map([...COMMUNITY_CONTEXTS, ...given, ...(await Promise.all(bundled))])
  const isRequested = ([address]: [string, unknown]): number => Number(addresses.includes(address))
  const documents = new Map([...all].sort((one, other) => isRequested(other) - isRequested(one)))
  const sizes = new Map([...documents].map(([address, document]) => [address, sizeOf(document)]))
  const isSchemaOrgCompatible = (): Promise<boolean> => {
    const key = JSON.stringify(contexts)
    const conflict = () => findTermConflict([...addresses, SCHEMA_ORG], documentLoader)
    return (
      compatible.get(key) ??
      compatible.set(
        key,
        conflict().then((conflict) => conflict === undefined),
      )
    )
  }

  return {
    addresses,
    carried: [...BUNDLED_CONTEXTS, ...COMMUNITY_CONTEXTS.keys()],
    documents,
    termsOf: (context) => (typeof context === 'string' ? sizes.get(context) : undefined),
    documentLoader,
    // schema.org is the only bundled general vocabulary. It is added if it changes no meaning of the verifier's own
    // contexts.
    contextsFor: async (used) =>
      used.has(SCHEMA_ORG) && !addresses.includes(SCHEMA_ORG) && (await isSchemaOrgCompatible())
        ? [...addresses, SCHEMA_ORG]
        : addresses,
  }
}
