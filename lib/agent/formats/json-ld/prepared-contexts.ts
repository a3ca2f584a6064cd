/**
 * Fetches the contexts of a proof request, once and before its transaction: contexts at addresses that the caller's
 * definition names in `schema`, and those of the setting TRUSTED_CONTEXTS that are not stored yet. Verification fetches
 * nothing.
 */
import type { AgentContext } from '@credo-ts/core'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { settings } from '../../../settings.ts'
import { BUNDLED_CONTEXTS, COMMUNITY_CONTEXTS, CREDENTIALS_V1 } from './bundled-contexts.ts'
import { assertProcessable, definedTerms, isSelfContainedContext } from './context-documents.ts'
import { type DocumentBounds, readDocument } from './read-document.ts'
import { findContexts, SERVICE_SCOPE, TABLE_READER } from './stored-contexts.ts'
import { type ContextDocument, parseContext, verifierDocumentLoader } from './verifier-contexts.ts'

/** The part of a proof request that determines its contexts. */
export interface RequestedDefinition {
  presentationDefinition: Pick<PresentationDefinition, 'input_descriptors'>
  /** `contexts`: documents by address, which the caller trusts. */
  options?: { contexts?: Readonly<Record<string, ContextDocument>> | undefined } | undefined
}

export interface PreparedContexts {
  /** Contexts by their address in the definition. They are trusted for this request only. */
  schemas: ReadonlyMap<string, ContextDocument>
  /** Addresses in the definition that could not be read and may be contexts. */
  unreadable: readonly string[]
  /** Texts of the readable contexts of TRUSTED_CONTEXTS, by address. */
  settingTexts: ReadonlyMap<string, string>
}

export const NO_PREPARED_CONTEXTS: PreparedContexts = { schemas: new Map(), unreadable: [], settingTexts: new Map() }

const FORMAT = 'proofFormats.presentationExchange'
export const CONTEXTS_PATH = `${FORMAT}.options.contexts`

export const isBuiltIn = (address: string): boolean => BUNDLED_CONTEXTS.has(address) || COMMUNITY_CONTEXTS.has(address)

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

/** For all contexts of TRUSTED_CONTEXTS: at most 10. */
const SETTING_BOUNDS: DocumentBounds = { documents: 10, milliseconds: 5_000, bytes: 1024 * 1024 }

/**
 * Fetches what a request needs. The URI of a schema is the address of a context or the IRI of a type: it is read unless
 * its context is known, or a trusted context defines a type with this IRI. URIs with a fragment and those that are not
 * http(s) are never read.
 */
export const prepareContexts = async (
  agentContext: AgentContext,
  { presentationDefinition, options: { contexts = {} } = {} }: RequestedDefinition,
): Promise<PreparedContexts> => {
  const texts = await textsOfSetting(new Set(Object.keys(contexts)))
  const settingTexts = new Map(
    [...texts].flatMap(([address, text]) => (text === undefined ? [] : [[address, text] as const])),
  )
  const schemaAddresses = [...schemaPaths(presentationDefinition).keys()].filter(
    (uri) => /^https?:[^#]*$/i.test(uri) && !isBuiltIn(uri) && !Object.hasOwn(contexts, uri) && !texts.has(uri),
  )
  if (schemaAddresses.length === 0) return { ...NO_PREPARED_CONTEXTS, settingTexts }

  const trusted = new Map([...Object.entries(contexts), ...[...settingTexts].flatMap(parsedEntries)])
  const types = await trustedTypes(agentContext, trusted)
  // `selectVerifierContexts` reports the error.
  if (types === undefined) return { ...NO_PREPARED_CONTEXTS, settingTexts }
  const unreadable: string[] = []
  const schemas = new Map<string, ContextDocument>()
  const bounds = { ...SCHEMA_BOUNDS }
  for (const address of schemaAddresses.filter((iri) => !types.has(iri))) {
    const text = await readDocument(address, bounds)
    if (text === undefined) unreadable.push(address)
    else
      for (const [, document] of parsedEntries([address, text]))
        if (await isSelfContainedContext(document)) schemas.set(address, document)
  }
  const all = await trustedTypes(agentContext, schemas)
  return { schemas, settingTexts, unreadable: unreadable.filter((iri) => !all?.has(iri)) }
}

const parsedEntries = ([address, text]: readonly [string, string]): [string, ContextDocument][] => {
  try {
    return [[address, parseContext(text)]]
  } catch {
    return []
  }
}

/**
 * Texts of the contexts of TRUSTED_CONTEXTS that the request does not contain, stored or read; undefined for one that
 * could not be read.
 */
const textsOfSetting = async (requested: ReadonlySet<string>): Promise<Map<string, string | undefined>> => {
  const contexts = settings().TRUSTED_CONTEXTS.filter(({ address }) => !requested.has(address) && !isBuiltIn(address))
  const stored = await findContexts(
    TABLE_READER,
    contexts.map(({ digest }) => ({ scope: SERVICE_SCOPE, digest: Buffer.from(digest, 'hex').toString('base64url') })),
  )
  const texts = new Map<string, string | undefined>()
  const bounds = { ...SETTING_BOUNDS }
  for (const [index, { address }] of contexts.entries())
    texts.set(address, stored[index] ?? (await readDocument(address, bounds)))
  return texts
}

/**
 * IRIs that trusted contexts define: the built-in ones, and `documents` in order. Undefined if these cannot be
 * processed.
 */
const trustedTypes = async (
  agentContext: AgentContext,
  documents: ReadonlyMap<string, ContextDocument>,
): Promise<ReadonlySet<string> | undefined> => {
  const loader = verifierDocumentLoader(agentContext, documents)
  const types = await builtInTypes(agentContext)
  try {
    assertProcessable([...documents.values()])
    return new Set([...types, ...(await definedTerms([CREDENTIALS_V1, ...documents.keys()], loader))])
  } catch {
    return undefined
  }
}

let builtIn: Promise<ReadonlySet<string>> | undefined

const builtInTypes = (agentContext: AgentContext): Promise<ReadonlySet<string>> => {
  const load = verifierDocumentLoader(agentContext, new Map())
  builtIn ??= Promise.all(
    [...BUNDLED_CONTEXTS, ...COMMUNITY_CONTEXTS.keys()].map((address) => definedTerms([address], load)),
  ).then((all) => new Set(all.flatMap((types) => [...types])))
  return builtIn
}
