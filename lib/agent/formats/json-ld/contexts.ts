/** JSON-LD contexts that verifiers trust: immutable documents, each in an item under the digest of its text. */
import { Bounded } from '../../../bounded.ts'
import { AgentError } from '../../../errors.ts'
import { defineItem } from '../../../store/item.ts'
import { inKey, packedText, text } from '../../../store/item-fields.ts'
import { type Address, address, digest } from '../../../store/keys.ts'
import { getItems, type Item } from '../../../store/table.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'

export interface StoredContext {
  /** The owner: a tenant's id, BASE_AGENT, or SERVICE for contexts of the stage's setting. */
  scope: string
  /** SHA-256 of the text, base64url. */
  digest: string
}

const contextItem = defineItem('context', ({ scope, digest }: StoredContext) => address(`${scope}|context|${digest}`), {
  pk: inKey('pk', text()),
  text: packedText(),
})

/** Scope of contexts of the stage. It is no tenant's id, because of its `@`. */
export const SERVICE = '@service'

/** Texts in memory, by address. Each has at most 256 KiB. */
const known = new Bounded<string, string>(50)

/** Reads outside of a unit of work: before a transaction. */
export const STORED = { getAll: getItems }

/** The text of each context, in the given order; undefined if it is not stored. */
export const findContexts = async (
  unit: { getAll(addresses: Address[]): Promise<Item[]> },
  contexts: readonly StoredContext[],
): Promise<(string | undefined)[]> => {
  const addresses = contexts.map(contextItem.addressOf)
  // Not only in `known`, where one that is read may take the place of another.
  const texts = new Map(addresses.map(({ pk }) => [pk, known.get(pk)]))
  // Several addresses of the web may share a text, and a batch takes each key once.
  const unread = new Map(addresses.filter(({ pk }) => texts.get(pk) === undefined).map((one) => [one.pk, one]))
  if (unread.size > 0)
    for (const item of await unit.getAll([...unread.values()])) {
      const { pk, text } = contextItem.decode(item)
      texts.set(pk, known.set(pk, text))
    }
  return addresses.map(({ pk }) => texts.get(pk))
}

/** The text of each context, in the given order. Throws `internal` if one is not stored. */
export const readContexts = (unit: UnitOfWork, contexts: readonly StoredContext[]): Promise<string[]> =>
  unit.recordFailure(async () => {
    const texts = (await findContexts(unit, contexts)).filter((text) => text !== undefined)
    if (texts.length < contexts.length) throw new AgentError('internal', 'a context of a proof request is not stored')
    return texts
  })

const CREATED = Symbol('contexts that a unit of work creates')

/**
 * Stores a text in the unit of work, unless it exists. Returns its address, which several addresses of the web may
 * share.
 */
export const storeContext = async (unit: UnitOfWork, scope: string, text: string): Promise<StoredContext> => {
  const context = { scope, digest: digest(text) }
  const created = unit.slot(CREATED, () => new Set<string>())
  const { pk } = contextItem.addressOf(context)
  const [stored] = await findContexts(unit, [context])
  if (stored === undefined && !created.has(pk)) unit.create(contextItem.encode({ ...context, text }))
  created.add(pk)
  return context
}
