/** Moves an item to an address of its own, where nothing waits for it and an operator can repair it. */
import { itemBytes } from './item.ts'
import { corruptAddress } from './keys.ts'
import { addressOf, epochSeconds, type Item, toKey } from './table.ts'
import { MAX_ITEM_BYTES, type TableWrite } from './write.ts'

/** In seconds. */
const SECONDS_KEPT = 90 * 24 * 60 * 60

/**
 * Drops the largest attribute of an item that is too large with the added ones, and names it in `corruptLacks`. That is
 * enough: what is added has at most 4 KB, and no item has a hundred attributes, so the largest of a full one has more.
 */
const fitting = (item: Item): Item => {
  if (itemBytes(item) <= MAX_ITEM_BYTES) return item
  const sizes = Object.entries(item).map(([name, value]) => ({ name, size: itemBytes({ [name]: value }) }))
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a)).name
  const { [largest]: _, ...rest } = item
  return { ...rest, corruptLacks: { S: largest } }
}

/** The partition key by which an operator finds an item that was set aside. */
export const setAsideKey = (item: Item): string => corruptAddress(addressOf(item)).pk

/**
 * Moves an item to an address of its own, with all attributes that fit, so that an operator can repair it. That nobody
 * else has done so is up to the other writes of the transaction, such as that of the lane, whose lease is checked.
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
    expiresAt: { N: String(epochSeconds(now) + SECONDS_KEPT) },
  }
  return [{ remove: address }, { put: fitting(moved) }]
}
