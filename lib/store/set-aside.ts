/**
 * Moves an item that cannot be decoded to a separate address, where it blocks no lane and an operator can repair it.
 */
import { itemBytes } from './item.ts'
import { corruptAddress } from './keys.ts'
import { addressOf, epochSeconds, type Item, toKey } from './table.ts'
import { MAX_ITEM_BYTES, type TableWrite } from './write.ts'

/** In seconds. */
const RETENTION_SECONDS = 90 * 24 * 60 * 60

/**
 * Drops the largest attribute of an item that the added ones make too large, and names it in `corruptLacks`. One is
 * enough: 4 KB at most are added, and the largest of fewer than 100 attributes of a 400 KB item is larger.
 */
const withinSizeLimit = (item: Item): Item => {
  if (itemBytes(item) <= MAX_ITEM_BYTES) return item
  const sizes = Object.entries(item).map(([name, value]) => ({ name, size: itemBytes({ [name]: value }) }))
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a)).name
  const { [largest]: _, ...rest } = item
  return { ...rest, corruptLacks: { S: largest } }
}

/** The partition key by which an operator finds an item that was set aside. */
export const setAsideKey = (item: Item): string => corruptAddress(addressOf(item)).pk

/**
 * The writes that move an item. They have no conditions: another write of the transaction, such as that of the lane
 * with its lease, must prevent a concurrent move. `now`: ms since the epoch.
 */
export const setAside = (item: Item, now: number): TableWrite[] => {
  const address = addressOf(item)
  const moved: Item = {
    ...item,
    ...toKey(corruptAddress(address)),
    kind: { S: 'corrupt-item' },
    corruptKind: item.kind ?? { S: '' },
    corruptPk: { S: address.pk },
    corruptSk: { S: address.sk },
    expiresAt: { N: String(epochSeconds(now) + RETENTION_SECONDS) },
  }
  return [{ remove: address }, { put: withinSizeLimit(moved) }]
}
