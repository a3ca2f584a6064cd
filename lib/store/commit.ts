/** Commits the writes of a unit of work in one transaction, and finds the error to throw where one of them was refused. */

import type { Change, Condition } from './conditions.ts'
import { conflicting } from './faults.ts'
import type { Address } from './keys.ts'
import type { Item } from './table.ts'
import { absentOrExpired, type TableWrite, transact } from './write.ts'

/** A put (`item`) or a delete (`remove`), the state that it expects, and the error for any other state. */
type Replacement = ({ item: Item } | { remove: Address }) & {
  /** A record's version, attributes that the item has, no live item at all, or anything. */
  expects: number | Item | 'nothing' | 'anything'
  whenBroken: () => unknown
}

/** A change of some attributes of an item that was not read. */
interface Update {
  update: Address
  change: Change
  condition: Condition | undefined
  whenBroken: () => unknown
}

export type Write = Replacement | Update

/** Writes all or nothing. A failed expectation is a more specific error than a conflict, so it is reported first. */
export const commitWrites = async (writes: Write[]): Promise<void> => {
  const result = await transact(writes.map(toTableWrite))
  if (result.written) return
  const [first] = result.failed
  throw first === undefined ? conflicting(result.cause) : writes[first]?.whenBroken()
}

const toTableWrite = (write: Write): TableWrite => {
  if ('update' in write) {
    const { update, change, condition } = write
    return { update, change, ...(condition !== undefined && { condition }) }
  }
  const condition = conditionOf(write.expects)
  return 'item' in write ? { put: write.item, condition } : { remove: write.remove, condition }
}

const conditionOf = (expects: Replacement['expects']): Condition => {
  if (expects === 'anything') return {}
  if (expects === 'nothing') return absentOrExpired()
  return { equals: typeof expects === 'number' ? { version: { N: String(expects) } } : expects }
}
