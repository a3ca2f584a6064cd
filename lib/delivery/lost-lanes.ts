/** Finds lanes that nobody wakes: for an operator's tool, after changes have not reached the dispatcher for a day. */

import { enterLane } from '../outbox/lanes/index.ts'
import { laneAddress } from '../outbox/wake-ups/index.ts'
import { scanItems } from '../store/scan.ts'
import { getItems, type Item } from '../store/table.ts'
import { LANE_KINDS } from './dispatch.ts'

/** Lanes whose states are read at once. */
const BATCH = 100

/** Whether something else wakes the lane: a time, a destination, or the invocation that has leased it. */
const isAwaited = ({ dueAt, waiting, leaseUntil }: Item, now: number): boolean =>
  dueAt !== undefined || waiting !== undefined || Number(leaseUntil?.N ?? 0) > now

/**
 * Makes each lane due at `now` (ms since the epoch) that has items and waits for nothing, as where the wake-ups of a
 * commit were lost: the sweep wakes it. Returns how many there were. One whose items are on their way is woken once
 * more, which does no harm. Reads the whole table (`scanItems`). Throws `store.unavailable`.
 */
export const wakeLostLanes = async (now: number = Date.now()): Promise<number> => {
  const isItem = { anyOf: LANE_KINDS.map((kind) => ({ equals: { kind: { S: kind } } })) }
  const lanes = new Set<string>()
  let woken = 0
  for await (const { pk } of scanItems(isItem)) {
    lanes.add(pk?.S ?? '')
    if (lanes.size < BATCH) continue
    woken += await wakeLost([...lanes], now)
    lanes.clear()
  }
  return woken + (await wakeLost([...lanes], now))
}

const wakeLost = async (lanes: string[], now: number): Promise<number> => {
  const states = await getItems(lanes.map(laneAddress))
  const awaited = new Set(states.filter((state) => isAwaited(state, now)).map(({ pk }) => pk?.S))
  const lost = lanes.filter((lane) => !awaited.has(laneAddress(lane).pk))
  const entered = await Promise.all(lost.map((lane) => enterLane(lane, now, { absent: ['dueAt', 'waiting'] })))
  return entered.filter((item) => item !== undefined).length
}
