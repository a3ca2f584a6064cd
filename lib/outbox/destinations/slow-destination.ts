/** Slots: they limit the concurrent attempts at a slow destination, so that it does not delay others. */

import { defineItem } from '../../store/item.ts'
import { integer, text } from '../../store/item-fields.ts'
import { epochSeconds, getItems } from '../../store/table.ts'
import { putIf, removeIf } from '../../store/write.ts'
import { slotAddress } from '../wake-ups/index.ts'

export interface Slot {
  release(): Promise<void>
}

/** Maximum number of concurrent attempts at a slow destination. */
const SLOTS = 4

/** In ms: longer than an attempt (15 s). A slot that was not released is free after this time. */
const SLOT_MS = 20_000

interface SlotKey {
  destination: string
  slot: number
}

const slotItem = defineItem(
  'slot',
  ({ destination, slot }: SlotKey) => slotAddress(destination, slot),
  {
    owner: text(),
    /** Ms since the epoch. */
    until: integer(),
    expiresAt: integer(),
  },
  'service',
)

/**
 * Takes a free slot; undefined if there is none. `owner`: a unique id, which gets at most one slot. `now` in ms since
 * the epoch, `random` in [0, 1).
 */
export const takeSlot = async (
  destination: string,
  owner: string,
  { now, random }: { now: number; random: number },
): Promise<Slot | undefined> => {
  const until = now + SLOT_MS
  const first = Math.floor(random * SLOTS)
  for (let index = 0; index < SLOTS; index++) {
    const slot = (first + index) % SLOTS
    const item = slotItem.encode({ destination, slot, owner, until, expiresAt: epochSeconds(until) + 60 })
    // A slot of this owner counts as free: the SDK repeats a request after a lost response.
    const free = {
      anyOf: [{ absent: ['pk'] }, { atMost: { until: { N: String(now) } } }, { equals: { owner: { S: owner } } }],
    }
    if (!(await putIf(item, free))) continue
    const release = async () => {
      await removeIf(slotAddress(destination, slot), { equals: { owner: { S: owner } } })
    }
    return { release }
  }
  return undefined
}

/** The number of free slots. `now` in ms since the epoch. */
export const freeSlots = async (destination: string, now: number): Promise<number> => {
  const items = await getItems(Array.from({ length: SLOTS }, (_, slot) => slotAddress(destination, slot)))
  return SLOTS - items.filter((item) => slotItem.decode(item).until > now).length
}
