/**
 * Reads from the web what a proof request needs, before its transaction and once: contexts at addresses that the
 * caller's definition names in `schema`, and contexts of the stage's setting that are not stored yet. A verification
 * reads nothing.
 */
import type { AgentContext } from '@credo-ts/core'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { settings } from '../../../settings.ts'
import { BUNDLED_CONTEXTS, COMMUNITY_CONTEXTS, CREDENTIALS_V1 } from './bundled-contexts.ts'
import { assertProcessable, definedTerms, isOwnContext } from './context-documents.ts'
import { findContexts, SERVICE, STORED } from './contexts.ts'
import { type DocumentBounds, readDocument } from './read-document.ts'
import { type ContextDocument, loaderOf, parseContext } from './verifier-contexts.ts'

/** The part of a request that decides about its contexts. */
export interface RequestedDefinition {
  presentationDefinition: Pick<PresentationDefinition, 'input_descriptors'>
  /** `contexts`: documents by address, which the caller trusts. */
  options?: { contexts?: Readonly<Record<string, ContextDocument>> | undefined } | undefined
}

export interface PreparedContexts {
  /** Contexts by address, as the definition names them. They are trusted for this request only. */
  schemas: ReadonlyMap<string, ContextDocument>
  /** Addresses of the definition at which something may be that could not be read. */
  unreadable: readonly string[]
  /** Texts of contexts of the stage's setting, by address: those that could be read and are not stored. */
  stage: ReadonlyMap<string, string>
}

export const NOTHING_PREPARED: PreparedContexts = { schemas: new Map(), unreadable: [], stage: new Map() }

const FORMAT = 'proofFormats.presentationExchange'
export const CONTEXTS_PATH = `${FORMAT}.options.contexts`

export const isCarried = (address: string): boolean => BUNDLED_CONTEXTS.has(address) || COMMUNITY_CONTEXTS.has(address)

/** Each URI of the definition's schemas, with the path of the first field that has it. */
export const schemaPaths = ({
  input_descriptors: descriptors,
}: RequestedDefinition['presentationDefinition']): ReadonlyMap<string, string> => {
  const paths = new Map<string, string>()
  for (const [descriptor, { schema = [] }] of descriptors.entries())
    for (const [entry, { uri }] of schema.entries())
      if (!paths.has(uri))
        paths.set(uri, `${FORMAT}.presentationDefinition.input_descriptors.${descriptor}.schema.${entry}.uri`)
  return paths
}

/** For all schemas of a request. */
const SCHEMA_BOUNDS: DocumentBounds = { documents: 5, milliseconds: 2_000, bytes: 128 * 1024 }

/** For all contexts of the setting: at most 10, whose digests the operator has set. */
const STAGE_BOUNDS: DocumentBounds = { documents: 10, milliseconds: 5_000, bytes: 1024 * 1024 }

/**
 * What a request needs from the web. An address of a schema is read unless its context is known anyway, or a trusted
 * context defines a type of this IRI: types have IRIs that look like addresses. Never read are URIs with a fragment,
 * which no document has, and others than those of the web.
 */
export const prepareContexts = async (
  agentContext: AgentContext,
  { presentationDefinition, options: { contexts = {} } = {} }: RequestedDefinition,
): Promise<PreparedContexts> => {
  const texts = await stageContexts(new Set(Object.keys(contexts)))
  const stage = new Map([...texts].flatMap(([address, text]) => (text === undefined ? [] : [[address, text] as const])))
  const named = [...schemaPaths(presentationDefinition).keys()].filter(
    (uri) => /^https?:[^#]*$/i.test(uri) && !isCarried(uri) && !Object.hasOwn(contexts, uri) && !texts.has(uri),
  )
  if (named.length === 0) return { ...NOTHING_PREPARED, stage }

  const trusted = new Map([...Object.entries(contexts), ...[...stage].flatMap(parsed)])
  const types = await trustedTypes(agentContext, trusted)
  // Such contexts are an error of their own.
  if (types === undefined) return { ...NOTHING_PREPARED, stage }
  const unreadable: string[] = []
  const schemas = new Map<string, ContextDocument>()
  const bounds = { ...SCHEMA_BOUNDS }
  for (const address of named.filter((iri) => !types.has(iri))) {
    const text = await readDocument(address, bounds)
    if (text === undefined) unreadable.push(address)
    else
      for (const [, document] of parsed([address, text]))
        if (await isOwnContext(document)) schemas.set(address, document)
  }
  const all = await trustedTypes(agentContext, schemas)
  return { schemas, stage, unreadable: unreadable.filter((iri) => !all?.has(iri)) }
}

const parsed = ([address, text]: readonly [string, string]): [string, ContextDocument][] => {
  try {
    return [[address, parseContext(text)]]
  } catch {
    return []
  }
}

/**
 * The contexts of the setting: their texts, stored or read; undefined where one could not be read. Without those that
 * the request gives itself.
 */
const stageContexts = async (requested: ReadonlySet<string>): Promise<Map<string, string | undefined>> => {
  const contexts = settings().TRUSTED_CONTEXTS.filter(({ address }) => !requested.has(address) && !isCarried(address))
  const stored = await findContexts(
    STORED,
    contexts.map(({ digest }) => ({ scope: SERVICE, digest: Buffer.from(digest, 'hex').toString('base64url') })),
  )
  const texts = new Map<string, string | undefined>()
  const bounds = { ...STAGE_BOUNDS }
  for (const [index, { address }] of contexts.entries())
    texts.set(address, stored[index] ?? (await readDocument(address, bounds)))
  return texts
}

/**
 * IRIs of types that trusted contexts define: those that the service carries, and others in order. Undefined if these
 * can't be processed.
 */
const trustedTypes = async (
  agentContext: AgentContext,
  documents: ReadonlyMap<string, ContextDocument>,
): Promise<ReadonlySet<string> | undefined> => {
  const loader = loaderOf(agentContext, documents)
  const types = await carriedTypes(agentContext)
  try {
    assertProcessable([...documents.values()])
    return new Set([...types, ...(await definedTerms([CREDENTIALS_V1, ...documents.keys()], loader))])
  } catch {
    return undefined
  }
}

let carried: Promise<ReadonlySet<string>> | undefined

const carriedTypes = (agentContext: AgentContext): Promise<ReadonlySet<string>> => {
  const load = loaderOf(agentContext, new Map())
  carried ??= Promise.all(
    [...BUNDLED_CONTEXTS, ...COMMUNITY_CONTEXTS.keys()].map((address) => definedTerms([address], load)),
  ).then((all) => new Set(all.flatMap((types) => [...types])))
  return carried
}
