/** Fixes the contexts of a proof request, in the unit of work that makes it. */
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
import { findContexts, SERVICE, type StoredContext, storeContext } from './contexts.ts'
import { assertOrdered } from './ordered-terms.ts'
import {
  CONTEXTS_PATH,
  isCarried,
  type PreparedContexts,
  type RequestedDefinition,
  schemaPaths,
} from './prepared-contexts.ts'
import { findTermConflict, type TermConflict } from './term-conflicts.ts'
import { type ContextDocument, loaderOf, parseContext, type VerifierContext } from './verifier-contexts.ts'

type Documents = Map<string, ContextDocument>

/**
 * Determines the contexts of a proof request in the running unit of work, in this order: the credentials context,
 * bundled ones that the definition names as schemas, those of the request (documents by address), those of the stage's
 * setting, and those that were read at addresses which the definition names as schemas. Contexts of the community are
 * added if they define a type that the definition names and redefine no term of the others. Throws `request.invalid`
 * for a context that redefines a term of another one, or that can't be read, and for a field that needs an order of
 * values which these contexts do not keep.
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
    [CREDENTIALS_V1, ...[...schemas.keys()].filter(isCarried)].map((address) => [address, { address }]),
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
    const { text, stored } = await contextOfSetting(address, digest, prepared.stage)
    add(address, parsedContext(address, text), stored)
  }
  for (const [address, document] of prepared.schemas)
    add(address, document, await storeContext(unit, unit.tenant, JSON.stringify(document)))

  const fixed = [...contexts.values()]
  const key = keyOf(fixed, [...schemas.keys()])
  const loader = loaderOf(agentContext, documents)
  const addCommunity = async (): Promise<readonly string[]> => {
    if (fixed.length > 1)
      await assertNoConflict(fixed, documents, loader, (address) =>
        prepared.schemas.has(address) ? pathIn(schemas, address) : `${CONTEXTS_PATH}.${address}`,
      )
    return selected.set(key, await communityContexts(fixed, [...schemas.keys()], loader))
  }
  const added = selected.get(key) ?? (await addCommunity())
  const all = [...fixed, ...added.map((address) => ({ address }))]
  await assertOrdered(request, () => Promise.all(all.map(async ({ address }) => (await loader(address)).document)))
  return all
}

/**
 * The contexts of the community beside others that were found without a conflict: verifiers repeat their requests. It
 * follows from the texts of the others and from the schemas, which the key identifies.
 */
const selected = new Bounded<string, readonly string[]>(200)

const keyOf = (contexts: readonly VerifierContext[], schemas: readonly string[]): string => {
  const texts = contexts.map(({ address, stored }) => [address, stored?.digest])
  return hash('sha256', JSON.stringify([texts, schemas]), 'base64')
}

const pathIn = (schemas: ReadonlyMap<string, string>, address: string): string => schemas.get(address) ?? CONTEXTS_PATH

const unreadable = (address: string): string =>
  `can't be read: ${address}. The document can be given in ${CONTEXTS_PATH}`

/** A context of the setting that is not JSON is the operator's mistake, and the caller can still give the document. */
const parsedContext = (address: string, text: string): ContextDocument => {
  try {
    return parseContext(text)
  } catch {
    throw invalidField(CONTEXTS_PATH, `the stage trusts a document that is not JSON: ${unreadable(address)}`)
  }
}

/** Contexts of the setting are read before the first request that needs them, never by a verification. */
const contextOfSetting = async (
  address: string,
  hex: string,
  read: PreparedContexts['stage'],
): Promise<{ text: string; stored: StoredContext }> => {
  const stored = { scope: SERVICE, digest: Buffer.from(hex, 'hex').toString('base64url') }
  const [known] = await findContexts(currentUnit(), [stored])
  if (known !== undefined) return { text: known, stored }
  const text = read.get(address)
  if (text === undefined) throw invalidField(CONTEXTS_PATH, `a context that the stage trusts ${unreadable(address)}`)
  if (hash('sha256', text) !== hex)
    throw invalidField(CONTEXTS_PATH, `the stage trusts ${address} with another digest than it has now`)
  return { text, stored: await storeContext(currentUnit(), SERVICE, text) }
}

/** An error of the engine or the library itself means nothing to the caller. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof TypeError || error instanceof RangeError) ? error.message : 'unknown'

const assertNoConflict = async (
  contexts: readonly VerifierContext[],
  documents: Documents,
  loader: DocumentLoader,
  pathOf: (address: string) => string,
): Promise<void> => {
  const conflict = await conflictIn(contexts, documents, loader).catch((error: unknown) => {
    throw invalidField(CONTEXTS_PATH, `a context can't be read: ${reasonOf(error)}`)
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
  fixed: readonly VerifierContext[],
  schemas: readonly string[],
  loader: DocumentLoader,
): Promise<string[]> => {
  const types = schemas.filter((iri) => !isCarried(iri))
  const addresses = fixed.map(({ address }) => address)
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
