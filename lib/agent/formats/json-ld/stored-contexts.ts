/** Stored JSON-LD contexts that verifiers trust: each document is an immutable item under the digest of its text. */
import { Bounded } from '../../../bounded.ts'
import { AgentError } from '../../../errors.ts'
import { type Address, digest } from '../../../store/keys.ts'
import { getItems, type Item } from '../../../store/table.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { contextItem, type StoredContext } from './context-item.ts'

/** Scope of the contexts of TRUSTED_CONTEXTS. Tenants' ids have no `@`. */
export const SERVICE_SCOPE = '@service'

/** Cached texts by partition key. Each has at most 256 KiB. */
const cachedTexts = new Bounded<string, string>(50)

/** Reads outside of a unit of work: before a transaction. */
export const TABLE_READER = { getAll: getItems }

/** The text of each context, in the given order; undefined if it is not stored. */
export const findContexts = async (
  unit: { getAll(addresses: Address[]): Promise<Item[]> },
  contexts: readonly StoredContext[],
): Promise<(string | undefined)[]> => {
  const addresses = contexts.map(contextItem.addressOf)
  // A copy, because reading a text may evict another one from the cache.
  const texts = new Map(addresses.map(({ pk }) => [pk, cachedTexts.get(pk)]))
  // Contexts at several URLs may share a text, and a batch read must not repeat a key.
  const uncached = new Map(addresses.filter(({ pk }) => texts.get(pk) === undefined).map((one) => [one.pk, one]))
  if (uncached.size > 0)
    for (const item of await unit.getAll([...uncached.values()])) {
      const { pk, text } = contextItem.decode(item)
      texts.set(pk, cachedTexts.set(pk, text))
    }
  return addresses.map(({ pk }) => texts.get(pk))
}

/** The text of each context, in the given order. Throws `internal` if one is not stored. */
export const readContexts = (unit: UnitOfWork, contexts: readonly StoredContext[]): Promise<string[]> =>
  unit.runRead(async () => {
    const texts = (await findContexts(unit, contexts)).filter((text) => text !== undefined)
    if (texts.length < contexts.length) throw new AgentError('internal', 'a context of a proof request is not stored')
    return texts
  })

const CREATED = Symbol('contexts that a unit of work creates')

/**
 * Stores a text in the unit of work, unless it is stored. Returns its key, which contexts at several URLs may share.
 */
export const storeContext = async (unit: UnitOfWork, scope: string, text: string): Promise<StoredContext> => {
  const context = { scope, digest: digest(text) }
  const created = unit.moduleState(CREATED, () => new Set<string>())
  const { pk } = contextItem.addressOf(context)
  const [stored] = await findContexts(unit, [context])
  if (stored === undefined && !created.has(pk)) unit.create(contextItem.encode({ ...context, text }))
  created.add(pk)
  return context
}
