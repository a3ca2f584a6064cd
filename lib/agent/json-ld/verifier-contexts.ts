/**
 * The contexts with which a verifier reads credentials. They and their order are fixed with the proof request; the holder has no influence on them.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AgentContext } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import * as v from 'valibot'
import { Bounded } from '../../bounded.ts'
import { invalidField } from '../../errors.ts'
import { settings } from '../../settings.ts'
import { findContexts, readContexts, SERVICE, type StoredContext, storeContext } from '../../store/contexts.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readText } from '../web-documents.ts'
import { BUNDLED_CONTEXTS, bundledContext, COMMUNITY_CONTEXTS, CREDENTIALS_V1, SCHEMA_ORG } from './bundled-contexts.ts'
import { documentLoader } from './document-loader.ts'
import { processor } from './rdf.ts'
import { findTermConflict } from './term-conflicts.ts'

/** A context of a proof request: bundled or stored. */
const VerifierContext = v.object({
  address: v.string(),
  stored: v.optional(v.object({ scope: v.string(), digest: v.string() })),
})
export type VerifierContext = v.InferOutput<typeof VerifierContext>

export const VerifierContexts = v.array(VerifierContext)

type Document = Record<string, unknown>

const parse = (text: string): Document => v.parse(v.pipe(v.string(), v.parseJson(), v.looseObject({})), text)

const PATH = 'proofFormats.presentationExchange.options.contexts'

const isCarried = (address: string): boolean => BUNDLED_CONTEXTS.has(address) || COMMUNITY_CONTEXTS.has(address)

/**
 * Determines the contexts of a proof request in the running unit of work, in this order: the credentials context, bundled ones that the definition
 * names as schemas, those of the request (documents by address), and those of the stage's setting. Contexts of the community are added if they define
 * a type that the definition names and redefine no term of the others. Throws `request.invalid` for a context that redefines a term of another one,
 * or that can't be read.
 */
export const selectVerifierContexts = async (
  agentContext: AgentContext,
  schemas: readonly string[],
  given: Readonly<Record<string, Document>>,
): Promise<VerifierContext[]> => {
  const contexts = new Map<string, VerifierContext>(
    [CREDENTIALS_V1, ...schemas.filter(isCarried)].map((address) => [address, { address }]),
  )
  const documents = new Map<string, Document>()
  for (const [address, document] of Object.entries(given)) {
    documents.set(address, document)
    if (BUNDLED_CONTEXTS.has(address)) {
      if (!isDeepStrictEqual(document, await bundledContext(agentContext, address)))
        throw invalidField(`${PATH}.${address}`, 'is not the document that the agent has for this address')
      contexts.set(address, { address })
    } else {
      const stored = await storeContext(currentUnit(), currentUnit().tenant, JSON.stringify(document))
      contexts.set(address, { address, stored })
    }
  }
  for (const { address, digest } of settings().TRUSTED_CONTEXTS) {
    if (contexts.has(address)) continue
    const { text, stored } = await contextOfSetting(address, digest)
    documents.set(address, parse(text))
    contexts.set(address, { address, stored })
  }
  const fixed = [...contexts.values()]
  if (fixed.length > 1) await assertNoConflict(agentContext, fixed, documents)
  const types = new Set(schemas.filter((iri) => !isCarried(iri)))
  const loader = loaderOf(agentContext, documents)
  for (const address of COMMUNITY_CONTEXTS.keys())
    if (!contexts.has(address) && (await definesOneOf(types, address, loader))) {
      const addresses = fixed.map((context) => context.address)
      if ((await findTermConflict([...addresses, address], loader)) === undefined) fixed.push({ address })
    }
  return fixed
}

/** Whether a context defines a term for one of these IRIs. */
const definesOneOf = async (
  iris: ReadonlySet<string>,
  address: string,
  documentLoader: DocumentLoader,
): Promise<boolean> => {
  if (iris.size === 0) return false
  const { processContext } = await processor()
  const initial = await processContext(null, null, { documentLoader })
  const { mappings } = await processContext(initial, address, { documentLoader })
  return [...mappings.values()].some((mapping) => iris.has(String(mapping?.['@id'])))
}

/** Contexts of the setting are fetched by the first request that needs them, never by a verification. */
const contextOfSetting = async (address: string, hex: string): Promise<{ text: string; stored: StoredContext }> => {
  const stored = { scope: SERVICE, digest: Buffer.from(hex, 'hex').toString('base64url') }
  const [known] = await findContexts(currentUnit(), [stored])
  if (known !== undefined) return { text: known, stored }
  const text = await readText(address)
  if (createHash('sha256').update(text).digest('hex') !== hex)
    throw invalidField(PATH, `the stage trusts ${address} with another digest than it has now`)
  return { text, stored: await storeContext(currentUnit(), SERVICE, text) }
}

/** A TypeError comes from the library itself, and means nothing to the caller. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof TypeError) ? error.message : 'unknown'

const assertNoConflict = async (
  agentContext: AgentContext,
  contexts: readonly VerifierContext[],
  documents: ReadonlyMap<string, Document>,
): Promise<void> => {
  const conflict = await findTermConflict(
    contexts.map(({ address }) => address),
    loaderOf(agentContext, documents),
  ).catch((error: unknown) => {
    throw invalidField(PATH, `a context can't be read: ${reasonOf(error)}`)
  })
  if (conflict !== undefined)
    throw invalidField(
      `${PATH}.${conflict.address}`,
      `redefines ${conflict.term}, which another trusted context defines`,
    )
}

/** Loads only trusted contexts and DIDs: verification fetches no context. The verifier's document for an address takes precedence. */
const loaderOf = (agentContext: AgentContext, documents: ReadonlyMap<string, Document>): DocumentLoader =>
  documentLoader(agentContext, async (address) => {
    const document = documents.get(address) ?? COMMUNITY_CONTEXTS.get(address)
    if (document === undefined) throw new Error(`the context ${address} is not trusted`)
    return document
  })

/** The contexts of a verification. */
export interface VerifierReading {
  /** Number of terms of a document's context, given by address or inline; undefined if it is not trusted. */
  termsOf(context: unknown): number | undefined
  documentLoader: DocumentLoader
  /** The contexts, in order, for showing a document that uses `used`. */
  contextsFor(used: ReadonlySet<string>): Promise<string[]>
}

const sizeOf = (document: Document): number =>
  [document['@context']].flat().reduce((sum: number, context) => sum + Object.keys(Object(context)).length, 0)

/** Whether schema.org redefines no term of a list of contexts. */
const compatible = new Bounded<string, Promise<boolean>>(100)

/** Reads the contexts of a proof request for its verification, in the running unit of work. */
export const readVerifierContexts = async (
  agentContext: AgentContext,
  contexts: readonly VerifierContext[],
): Promise<VerifierReading> => {
  const held = contexts.flatMap(({ address, stored }) => (stored === undefined ? [] : [{ address, stored }]))
  const unit = currentUnit()
  const stored = held.map((context) => context.stored)
  const texts = await readContexts(unit, stored)
  const documents = new Map(held.map(({ address }, index) => [address, parse(texts[index] ?? '')]))
  const documentLoader = loaderOf(agentContext, documents)
  const addresses = contexts.map(({ address }) => address)
  const bundled = [...BUNDLED_CONTEXTS].map(
    async (address) => [address, await bundledContext(agentContext, address)] as const,
  )
  const sizes = new Map(
    [...(await Promise.all(bundled)), ...COMMUNITY_CONTEXTS, ...documents].map(([address, document]) => [
      address,
      sizeOf(document),
    ]),
  )
  const inFull = [...documents.values()].flatMap((document) =>
    [document['@context']].flat().map((context) => [context, sizeOf(document)] as const),
  )

  const takesSchemaOrg = (): Promise<boolean> => {
    const key = JSON.stringify(contexts)
    const conflict = () => findTermConflict([...addresses, SCHEMA_ORG], documentLoader)
    return (
      compatible.get(key) ??
      compatible.set(
        key,
        conflict().then((found) => found === undefined),
      )
    )
  }

  return {
    termsOf: (context) => {
      if (typeof context !== 'string') return inFull.find(([one]) => isDeepStrictEqual(one, context))?.[1]
      return sizes.get(context)
    },
    documentLoader,
    // schema.org is the only bundled general vocabulary. It is added if it changes no meaning of the verifier's own contexts.
    contextsFor: async (used) =>
      used.has(SCHEMA_ORG) && !addresses.includes(SCHEMA_ORG) && (await takesSchemaOrg())
        ? [...addresses, SCHEMA_ORG]
        : addresses,
  }
}
