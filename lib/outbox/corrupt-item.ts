/** Corrupt items: what cannot be read is set aside as it is, so that what waits behind it goes on. */
import { measure } from '../metrics.ts'
import { itemBytes } from '../store/item.ts'
import { corruptAddress } from '../store/keys.ts'
import { addressOf, epochSeconds, type Item, toKey } from '../store/table.ts'
import { MAX_ITEM_BYTES, type TableWrite } from '../store/write.ts'

/** An item of a lane that cannot be read. */
export interface CorruptItem {
  /** Takes it out of its lane, and records what can be recorded of it. */
  writes: TableWrite[]
  /** Ids for the log. */
  about: Record<string, unknown>
}

/** In seconds. */
const SECONDS_KEPT = 90 * 24 * 60 * 60

/** Attributes without which nobody would find it, or know where it was. */
const NEEDED = ['pk', 'sk', 'kind', 'corruptPk', 'corruptSk', 'corruptLacks', 'expiresAt']

/** One that would be too large by what is added to it is kept without its largest attribute, whose name it has instead. */
const fitting = (item: Item, lacks: readonly string[] = []): Item => {
  const named: Item = lacks.length === 0 ? item : { ...item, corruptLacks: { S: lacks.join(' ') } }
  if (itemBytes(named) <= MAX_ITEM_BYTES) return named
  const sizes = Object.entries(item).flatMap(([name, value]) =>
    NEEDED.includes(name) ? [] : [{ name, size: itemBytes({ [name]: value }) }],
  )
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a), { name: '', size: 0 })
  const { [largest.name]: _, ...rest } = item
  return largest.size === 0 ? named : fitting(rest, [...lacks, largest.name])
}

/**
 * Takes an item from its place. It is kept with all of its attributes, as far as they fit, at an address of its own, for whoever can mend it.
 */
export const setAside = (item: Item, now: number): TableWrite[] => {
  const address = addressOf(item)
  const kept: Item = {
    ...item,
    ...toKey(corruptAddress(address)),
    kind: { S: 'corrupt-item' },
    corruptKind: item.kind ?? { S: '' },
    corruptPk: { S: address.pk },
    corruptSk: { S: address.sk },
    expiresAt: { N: String(epochSeconds(now) + SECONDS_KEPT) },
  }
  return [{ remove: address, condition: { present: ['pk'] } }, { put: fitting(kept) }]
}

/** Logs one, and counts it. */
export const logCorrupt = (about: Record<string, unknown>, now: number): void =>
  measure(
    'error',
    'an item that waits is corrupt and was set aside',
    { event: 'outbox.item_corrupt', ...about },
    { values: { ItemsCorrupt: 1 }, now },
  )
