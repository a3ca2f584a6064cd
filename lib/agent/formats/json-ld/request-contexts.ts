/** Determines the contexts of a proof request, in the unit of work that creates the request. */

import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AgentContext } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { Bounded } from '../../../bounded.ts'
import { invalidField } from '../../../errors.ts'
import { settings } from '../../../settings.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { BUNDLED_CONTEXTS, bundledContext, COMMUNITY_CONTEXTS, CREDENTIALS_V1 } from './bundled-contexts.ts'
import { assertProcessable, definedTerms } from './context-documents.ts'
import type { StoredContext } from './context-item.ts'
import { assertOrdered } from './ordered-terms.ts'
import {
  CONTEXTS_PATH,
  isBuiltIn,
  type PreparedContexts,
  type RequestedDefinition,
  schemaPaths,
} from './prepared-contexts.ts'
import { findContexts, SERVICE_SCOPE, storeContext } from './stored-contexts.ts'
import { findTermConflict, type TermConflict } from './term-conflicts.ts'
import {
  type ContextDocument,
  parseContext,
  type VerifierContext,
  verifierDocumentLoader,
} from './verifier-contexts.ts'

type Documents = Map<string, ContextDocument>

/**
 * Determines the contexts of a proof request, in this order: the credentials context, built-in ones that the definition
 * names in `schema`, those of the request (documents by address), those of the setting TRUSTED_CONTEXTS, and those that
 * were fetched from addresses in `schema`. Community contexts are added if they define a type in `schema` and redefine
 * no term of the others. Throws `request.invalid` for a context that redefines a term of another one or cannot be read,
 * and for a field that needs an order of values which these contexts do not define.
 */
export const selectVerifierContexts = async (
  agentContext: AgentContext,
  request: RequestedDefinition,
  prepared: PreparedContexts,
): Promise<VerifierContext[]> => {
  const { presentationDefinition, options: { contexts: requested = {} } = {} } = request
  const schemas = schemaPaths(presentationDefinition)
  for (const address of prepared.unreadable) throw invalidField(pathIn(schemas, address), unreadable(address))
  const contexts = new Map<string, VerifierContext>(
    [CREDENTIALS_V1, ...[...schemas.keys()].filter(isBuiltIn)].map((address) => [address, { address }]),
  )
  const documents: Documents = new Map()
  const unit = currentUnit()
  const add = (address: string, document: ContextDocument, stored: StoredContext): void => {
    documents.set(address, document)
    contexts.set(address, { address, stored })
  }

  for (const [address, document] of Object.entries(requested))
    if (BUNDLED_CONTEXTS.has(address)) {
      if (!isDeepStrictEqual(document, await bundledContext(agentContext, address)))
        throw invalidField(`${CONTEXTS_PATH}.${address}`, 'is not the document that the agent has for this address')
      contexts.set(address, { address })
    } else add(address, document, await storeContext(unit, unit.tenant, JSON.stringify(document)))
  for (const { address, digest } of settings().TRUSTED_CONTEXTS) {
    if (contexts.has(address)) continue
    const { text, stored } = await contextOfSetting(address, digest, prepared.settingTexts)
    add(address, parsedContext(address, text), stored)
  }
  for (const [address, document] of prepared.schemas)
    add(address, document, await storeContext(unit, unit.tenant, JSON.stringify(document)))

  const baseContexts = [...contexts.values()]
  const key = cacheKeyOf(baseContexts, [...schemas.keys()])
  const loader = verifierDocumentLoader(agentContext, documents)
  const selectCommunityContexts = async (): Promise<readonly string[]> => {
    if (baseContexts.length > 1)
      await assertNoConflict(baseContexts, documents, loader, (address) =>
        prepared.schemas.has(address) ? pathIn(schemas, address) : `${CONTEXTS_PATH}.${address}`,
      )
    return communityContextsCache.set(key, await communityContexts(baseContexts, [...schemas.keys()], loader))
  }
  const added = communityContextsCache.get(key) ?? (await selectCommunityContexts())
  const all = [...baseContexts, ...added.map((address) => ({ address }))]
  await assertOrdered(request, () => Promise.all(all.map(async ({ address }) => (await loader(address)).document)))
  return all
}

/**
 * Cache of the community contexts to add, because verifiers repeat their requests. The key identifies what determines
 * them: the texts of the other contexts, and the schemas.
 */
const communityContextsCache = new Bounded<string, readonly string[]>(200)

const cacheKeyOf = (contexts: readonly VerifierContext[], schemas: readonly string[]): string => {
  const texts = contexts.map(({ address, stored }) => [address, stored?.digest])
  return hash('sha256', JSON.stringify([texts, schemas]), 'base64')
}

const pathIn = (schemas: ReadonlyMap<string, string>, address: string): string => schemas.get(address) ?? CONTEXTS_PATH

const unreadable = (address: string): string =>
  `cannot be read: ${address}. The document can be given in ${CONTEXTS_PATH}`

/** Invalid JSON in a context of TRUSTED_CONTEXTS is the operator's mistake, but the caller can give the document. */
const parsedContext = (address: string, text: string): ContextDocument => {
  try {
    return parseContext(text)
  } catch {
    throw invalidField(CONTEXTS_PATH, `a context in TRUSTED_CONTEXTS is not JSON and ${unreadable(address)}`)
  }
}

/** Stores a context of TRUSTED_CONTEXTS with the first request that needs it. */
const contextOfSetting = async (
  address: string,
  hex: string,
  fetchedTexts: PreparedContexts['settingTexts'],
): Promise<{ text: string; stored: StoredContext }> => {
  const stored = { scope: SERVICE_SCOPE, digest: Buffer.from(hex, 'hex').toString('base64url') }
  const [storedText] = await findContexts(currentUnit(), [stored])
  if (storedText !== undefined) return { text: storedText, stored }
  const text = fetchedTexts.get(address)
  if (text === undefined) throw invalidField(CONTEXTS_PATH, `a context in TRUSTED_CONTEXTS ${unreadable(address)}`)
  if (hash('sha256', text) !== hex)
    throw invalidField(CONTEXTS_PATH, `the document at ${address} does not have the digest in TRUSTED_CONTEXTS`)
  return { text, stored: await storeContext(currentUnit(), SERVICE_SCOPE, text) }
}

/** Internal errors of the library are not shown to the caller. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof TypeError || error instanceof RangeError) ? error.message : 'unknown'

const assertNoConflict = async (
  contexts: readonly VerifierContext[],
  documents: Documents,
  loader: DocumentLoader,
  pathOf: (address: string) => string,
): Promise<void> => {
  const conflict = await conflictIn(contexts, documents, loader).catch((error: unknown) => {
    throw invalidField(CONTEXTS_PATH, `a context cannot be read: ${reasonOf(error)}`)
  })
  if (conflict !== undefined)
    throw invalidField(pathOf(conflict.address), `redefines ${conflict.term}, which another trusted context defines`)
}

const conflictIn = async (
  contexts: readonly VerifierContext[],
  documents: Documents,
  loader: DocumentLoader,
): Promise<TermConflict | undefined> => {
  assertProcessable([...documents.values()])
  return findTermConflict(
    contexts.map(({ address }) => address),
    loader,
  )
}

const communityContexts = async (
  baseContexts: readonly VerifierContext[],
  schemas: readonly string[],
  loader: DocumentLoader,
): Promise<string[]> => {
  const types = schemas.filter((iri) => !isBuiltIn(iri))
  const addresses = baseContexts.map(({ address }) => address)
  const added: string[] = []
  for (const address of COMMUNITY_CONTEXTS.keys()) {
    if (types.length === 0 || addresses.includes(address)) continue
    const defined = await definedTerms([address], loader)
    if (!types.some((iri) => defined.has(iri))) continue
    if ((await findTermConflict([...addresses, address], loader)) !== undefined) continue
    addresses.push(address)
    added.push(address)
  }
  return added
}
