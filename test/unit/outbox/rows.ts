/** A table in memory that costs little to copy, for walks through many orders. */

import { applyUpdate, holds } from '../../../infra/local/memory-table/expressions.ts'
import { type Condition, expressionsOf, type ItemChange } from '../../../lib/store/conditions.ts'
import type { Address } from '../../../lib/store/keys.ts'
import { addressOf, type Item, toKey } from '../../../lib/store/table.ts'
import type { TableWrite } from '../../../lib/store/write.ts'

interface Update {
  address: Address
  change: ItemChange
  condition?: Condition
}

type Transacted = { written: true } | { written: false; failed: number[]; conflict: false }

const keyOf = ({ pk, sk }: Address): string => `${pk} ${sk}`

const writtenBy = (write: TableWrite): Address =>
  'put' in write ? addressOf(write.put) : 'remove' in write ? write.remove : write.update

export class Rows {
  /** Each item with a text that is the same for the same item. */
  rows = new Map<string, { item: Item; print: string }>()

  get items(): Item[] {
    return [...this.rows.values()].map(({ item }) => item)
  }

  get(address: Address): Item | undefined {
    return this.rows.get(keyOf(address))?.item
  }

  set(address: Address, item: Item | undefined): void {
    if (item === undefined) this.rows.delete(keyOf(address))
    else this.rows.set(keyOf(address), { item, print: JSON.stringify(Object.entries(item).sort()) })
  }

  put(item: Item): void {
    this.set(addressOf(item), item)
  }

  in(partition: string): Item[] {
    const rows = [...this.rows].filter(([key]) => key.startsWith(partition))
    return rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { item }]) => item)
  }

  update({
    address,
    change,
    condition,
  }: Update): { written: Item } | { written: undefined; existing: Item | undefined } {
    const found = this.get(address)
    const { ConditionExpression, UpdateExpression = '', ...placeholders } = expressionsOf(condition, change)
    if (!holds(ConditionExpression, found, placeholders)) return { written: undefined, existing: found }
    const written = applyUpdate(UpdateExpression, found ?? toKey(address), placeholders)
    this.set(address, written)
    return { written }
  }

  transact(writes: readonly TableWrite[]): Transacted {
    const failed = writes.flatMap((write, index) => {
      const { ConditionExpression, ...placeholders } = expressionsOf(write.condition)
      return holds(ConditionExpression, this.get(writtenBy(write)), placeholders) ? [] : [index]
    })
    if (failed.length > 0) return { written: false, failed, conflict: false }
    for (const write of writes)
      if ('put' in write) this.put(write.put)
      else if ('remove' in write) this.set(write.remove, undefined)
      else this.update({ address: write.update, change: write.change })
    return { written: true }
  }
}
