/**
 * Wakes lanes whose wake-ups were lost: for an operator's tool, after changes have not reached the dispatcher for a
 * day.
 */

import { ensureLaneDue } from '../outbox/lanes/index.ts'
import { laneAddress } from '../outbox/wake-ups/index.ts'
import { scanItems } from '../store/scan.ts'
import { getItems, type Item } from '../store/table.ts'
import { LANE_KINDS } from './dispatch.ts'

/** Number of lane items in one read. */
const BATCH = 100

/** Whether something else wakes the lane: a time, a destination, or the invocation that has leased it. */
const isWaitingOrLeased = ({ dueAt, waiting, leaseUntil }: Item, now: number): boolean =>
  dueAt !== undefined || waiting !== undefined || Number(leaseUntil?.N ?? 0) > now

/**
 * Makes each lane due at `now` (ms since the epoch) that has items and waits for nothing, because the wake-ups of a
 * commit were lost: the sweep wakes it. Returns the number of these lanes. A lane whose wake-up is still in a queue is
 * woken once more, without effect. Reads the whole table (`scanItems`). Throws `store.unavailable`.
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
  const waitingOrLeased = new Set(states.filter((state) => isWaitingOrLeased(state, now)).map(({ pk }) => pk?.S))
  const lost = lanes.filter((lane) => !waitingOrLeased.has(laneAddress(lane).pk))
  const updates = await Promise.all(lost.map((lane) => ensureLaneDue(lane, now, { absent: ['dueAt', 'waiting'] })))
  return updates.filter((item) => item !== undefined).length
}
