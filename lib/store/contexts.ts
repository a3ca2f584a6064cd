/** JSON-LD contexts that verifiers trust: documents by the digest of their text, each in an item of its own. They never change. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { defineItem } from './item.ts'
import { inKey, text } from './item-fields.ts'
import { contextAddress, digest } from './keys.ts'
import type { UnitOfWork } from './unit-of-work.ts'

export interface StoredContext {
  /** Whose context: a tenant's id, BASE_AGENT, or SERVICE for those of the stage's setting. */
  scope: string
  /** SHA-256 of the text, base64url. */
  digest: string
}

const contextItem = defineItem('context', contextAddress, { pk: inKey('pk', text()), text: text() })

/** Scope of what belongs to the stage. No tenant's id has an `@`. */
export const SERVICE = '@service'

/** Texts in memory, by address; one has at most 256 KiB. */
const known = new Bounded<string, string>(50)

/** The text of each context, in the same order; undefined where it is not stored. */
export const findContexts = async (
  unit: UnitOfWork,
  contexts: readonly StoredContext[],
): Promise<(string | undefined)[]> => {
  const addresses = contexts.map(contextAddress)
  const unread = addresses.filter(({ pk }) => known.get(pk) === undefined)
  if (unread.length > 0)
    for (const item of await unit.getAll(unread)) {
      const { pk, text } = contextItem.decode(item)
      known.set(pk, text)
    }
  return addresses.map(({ pk }) => known.get(pk))
}

/** The text of each context, in the same order. Throws `internal` where one is not stored. */
export const readContexts = (unit: UnitOfWork, contexts: readonly StoredContext[]): Promise<string[]> =>
  unit.keepFailure(async () => {
    const texts = (await findContexts(unit, contexts)).filter((text) => text !== undefined)
    if (texts.length < contexts.length) throw new AgentError('internal', 'a context of a proof request is not stored')
    return texts
  })

/** Stores a text, with the unit of work, unless it is there already. Returns where it is. */
export const storeContext = async (unit: UnitOfWork, scope: string, text: string): Promise<StoredContext> => {
  const context = { scope, digest: digest(text) }
  const [stored] = await findContexts(unit, [context])
  if (stored === undefined) unit.create(contextItem.encode({ ...context, text }))
  return context
}
