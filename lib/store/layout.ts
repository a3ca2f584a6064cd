/** The version of the table's layout (keys and forms of items), in an item. Tables of other versions are not used. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { layoutAddress } from './keys.ts'

type Item = Record<string, AttributeValue>

/** Incremented when a release cannot use what the previous one has stored, or the other way round. */
const VERSION = 3

export const LAYOUT_KEY = { pk: { S: layoutAddress.pk }, sk: { S: layoutAddress.sk } }

/** Written only when the table is created (infra/layout.ts). */
export const LAYOUT_ITEM: Item = { ...LAYOUT_KEY, kind: { S: 'layout' }, version: { N: String(VERSION) } }

/** How the layout of a table with this item differs; undefined: it does not. */
export const layoutMismatch = (item: Item | undefined): string | undefined => {
  if (item === undefined) return 'has no layout version'
  const version = item.version?.N
  return version === String(VERSION) ? undefined : `has layout version ${version}, not ${VERSION}`
}

/** How long another version is remembered before it is read again, in ms. */
const RECHECK_MS = 5_000

/** Reads the version once in a process; again after a failed read, and after a while if it was wrong. */
export class LayoutCheck {
  readonly #read: () => Promise<Item | undefined>
  #isCurrent = false
  #reading: Promise<void> | undefined
  #otherVersion: { error: AgentError; until: number } | undefined

  constructor(read: () => Promise<Item | undefined>) {
    this.#read = read
  }

  /**
   * Sends a request. While the version is unknown, reads are sent concurrently with its read, writes after it. Throws
   * `store.unavailable` if the table has another version.
   */
  guard<T>(send: () => Promise<T>, isWrite: boolean): Promise<T> {
    if (this.#isCurrent) return send()
    return this.#whileUnknown(send, isWrite)
  }

  async #whileUnknown<T>(send: () => Promise<T>, isWrite: boolean): Promise<T> {
    if (this.#otherVersion !== undefined && Date.now() < this.#otherVersion.until) throw this.#otherVersion.error
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
    const mismatch = layoutMismatch(await this.#read())
    this.#isCurrent = mismatch === undefined
    if (mismatch === undefined) return
    log('error', `the table ${mismatch}: deploy this version with a new table (docs/trouble.md)`, {
      event: 'store.layout_mismatch',
    })
    const error = new AgentError('store.unavailable', `the table ${mismatch}`)
    this.#otherVersion = { error, until: Date.now() + RECHECK_MS }
    throw error
  }
}
