/** The version of the table's layout, in an item of its own: in a table of another one nothing is read or written. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { layoutAddress } from './keys.ts'

type Item = Record<string, AttributeValue>

/** Raised when a release could not read, find or finish what the one before has stored, or the other way round. */
const VERSION = 3

export const LAYOUT_KEY = { pk: { S: layoutAddress.pk }, sk: { S: layoutAddress.sk } }

/** Written when the table is made (infra/layout.ts), and by nothing else. */
export const LAYOUT_ITEM: Item = { ...LAYOUT_KEY, kind: { S: 'layout' }, version: { N: String(VERSION) } }

/** What is wrong with a table that has this item; undefined: nothing. */
export const layoutFlaw = (found: Item | undefined): string | undefined => {
  if (found === undefined) return 'has no version of its layout'
  const version = found.version?.N
  return version === String(VERSION) ? undefined : `has version ${version} of its layout, not ${VERSION}`
}

/** How long a table is taken to be of another version without a look at it, in ms. */
const REMEMBERED_MS = 5_000

/** Reads the version once for a process. A failed reading says nothing, and a wrong version may be mended. */
export class LayoutCheck {
  readonly #read: () => Promise<Item | undefined>
  #isRight = false
  #reading: Promise<void> | undefined
  #wrong: { error: AgentError; until: number } | undefined

  constructor(read: () => Promise<Item | undefined>) {
    this.#read = read
  }

  /**
   * Sends the first requests of a process: reads beside the reading of the version, writes after it. Throws
   * `store.unavailable` where the table has another one.
   */
  guard<T>(send: () => Promise<T>, isWrite: boolean): Promise<T> {
    if (this.#isRight) return send()
    return this.#whileUnknown(send, isWrite)
  }

  async #whileUnknown<T>(send: () => Promise<T>, isWrite: boolean): Promise<T> {
    if (this.#wrong !== undefined && Date.now() < this.#wrong.until) throw this.#wrong.error
    this.#reading ??= this.#check().finally(() => {
      this.#reading = undefined
    })
    if (isWrite) {
      await this.#reading
      return send()
    }
    const [, response] = await Promise.all([this.#reading, send()])
    return response
  }

  async #check(): Promise<void> {
    const flaw = layoutFlaw(await this.#read())
    this.#isRight = flaw === undefined
    if (flaw === undefined) return
    log('error', `the table ${flaw}: deploy this version with a new table (docs/trouble.md)`, {
      event: 'store.layout_mismatch',
    })
    const error = new AgentError('store.unavailable', `the table ${flaw}`)
    this.#wrong = { error, until: Date.now() + REMEMBERED_MS }
    throw error
  }
}
