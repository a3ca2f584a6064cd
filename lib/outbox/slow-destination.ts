/** Slow destinations: which they are, by the duration of attempts, and the few attempts that each takes at once, so that it delays no other. */
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import { slotAddress } from '../store/keys.ts'
import { epochSeconds, getItems } from '../store/table.ts'
import { putIf, removeIf } from '../store/write.ts'
import { MAX_SLOW_TIMES, QUICK_FOR, SLOW_FOR, SLOW_MS } from './circuit-breaker.ts'
import { type Change, type Destination, decide, isSlow } from './destination.ts'

/** A destination as it was read before an attempt, and how long the attempt took (ms). */
export interface Duration {
  read: Destination
  took: number
  answered: boolean
  now: number
}

/**
 * Records how long an attempt took, or has taken so far, if that is news. A slow destination counts as quick again after one quick answer, because
 * a mediator may be late once. Each time that it becomes slow again, it needs twice as many.
 */
export const recordDuration = async ({ read, took, answered, now }: Duration): Promise<void> => {
  if (took >= SLOW_MS) await decide(read.destination, now, (current) => slower(current, now))
  else if (answered && (isSlow(read, now) || isNews(read, now)))
    await decide(read.destination, now, (current) => quicker(current, now))
}

/** Whether a quick answer is news. For a destination that is always quick it is recorded twice a month. */
const isNews = ({ quickUntil = 0 }: Destination, now: number): boolean => quickUntil < now + QUICK_FOR / 2

const slower = (read: Destination, now: number): Change | undefined => {
  const { slowUntil = 0, slowTimes = 0, slowLeft } = read
  const times = isSlow(read, now) ? slowTimes : Math.min(slowTimes + 1, MAX_SLOW_TIMES)
  const left = 2 ** (times - 1)
  // For a destination that stays slow, one write a minute is enough.
  if (slowLeft === left && slowUntil > now + SLOW_FOR - 60_000) return undefined
  return { set: { slowUntil: now + SLOW_FOR, slowTimes: times, slowLeft: left }, remove: ['quickUntil'] }
}

const quicker = (read: Destination, now: number): Change | undefined => {
  const { slowLeft = 1 } = read
  const quickUntil = now + QUICK_FOR
  if (!isSlow(read, now)) return isNews(read, now) ? { set: { quickUntil } } : undefined
  return slowLeft > 1 ? { set: { slowLeft: slowLeft - 1 } } : { set: { quickUntil }, remove: ['slowUntil', 'slowLeft'] }
}

/** Attempts at once at a slow destination. */
const SLOTS = 4

/** In ms: longer than an attempt (15 s). A slot that was not released is free after this time. */
const TAKEN_MS = 20_000

interface SlotKey {
  destination: string
  slot: number
}

const slotItem = defineItem('slot', ({ destination, slot }: SlotKey) => slotAddress(destination, slot), {
  owner: text(),
  /** Ms since the epoch. */
  until: integer(),
  expiresAt: integer(),
})

/** Takes a free slot for `owner`; undefined if all are taken. `now` in ms since the epoch, `random` in [0, 1). */
export const takeSlot = async (
  destination: string,
  owner: string,
  { now, random }: { now: number; random: number },
): Promise<{ release: () => Promise<void> } | undefined> => {
  const until = now + TAKEN_MS
  const first = Math.floor(random * SLOTS)
  for (let index = 0; index < SLOTS; index++) {
    const slot = (first + index) % SLOTS
    const item = slotItem.encode({ destination, slot, owner, until, expiresAt: epochSeconds(until) + 60 })
    const free = { anyOf: [{ absent: ['pk'] }, { atMost: { until: { N: String(now) } } }] }
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
