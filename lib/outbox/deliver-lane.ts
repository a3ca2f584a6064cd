/** Delivers from lanes: carries out what their policy asks for. Nothing is decided here. */
import { settings } from '../settings.ts'
import { putIf, transact } from '../store/write.ts'
import { SLOW_MS } from './circuit-breaker.ts'
import { recentTarget } from './destination-access.ts'
import type { LaneContents } from './lane-contents.ts'
import { delivery } from './lane-delivery.ts'
import { takeSlot } from './slow-destination.ts'
import { type Actions, type By, run } from './step.ts'
import { DUE_ACTIONS } from './wake-destination.ts'
import type { FirstItem, LaneWakeUp } from './wake-up.ts'

interface DeliveryOptions extends Omit<By, 'now'> {
  /** Ms since the epoch. */
  clock: () => number
  /** Waits for some ms. */
  pause: (ms: number) => Promise<unknown>
  /** Calls `act` after some ms. The returned function cancels that. */
  after(ms: number, act: () => void): () => void
  /** The queue of the wake-up. */
  queue: 'fast' | 'slow'
  /** After this time no attempt is started, because the function would run out of time. Ms since the epoch. */
  startUntil: number
  /** Whether the wake-up was received before. */
  repeated?: boolean
  /** `first`: the item to begin with, if no other was waiting before it. */
  open(lane: string, first?: FirstItem): Promise<LaneContents<unknown> | undefined>
}

/** Those that are the same in each delivery. */
const ACTIONS = {
  ...DUE_ACTIONS,
  put: (item) => putIf(item),
  transact,
  read: (contents, now) => contents.read(now),
  afterAttempt: async (contents, item, attempt) => contents.afterAttempt?.(item, attempt),
  target: recentTarget,
  takeSlot,
  releaseSlot: ({ release }) => release(),
} satisfies Partial<Actions>

/**
 * Delivers the waiting items of a lane, unless another invocation has the lane or it is not due. If this process dies
 * after a receiver has accepted an item and before that is recorded, the item is sent again with the same id. Throws
 * `store.unavailable`, `store.conflict`.
 */
export const deliverLane = (wakeUp: LaneWakeUp, options: DeliveryOptions): Promise<void> => {
  const { clock, random, newId, pause, after, open, queue, startUntil, repeated = false } = options
  const by = (): By => ({ now: clock(), random, newId })
  const attempt: Actions['attempt'] = async (contents, item, ifSlow) => {
    const startedAt = clock()
    let slow: Promise<void> | undefined
    const cancel = after(SLOW_MS, () => {
      slow = run(ifSlow(by()), actions, by)
    })
    try {
      const outcome = await contents.send(item, startedAt)
      return { outcome, startedAt, endedAt: clock() }
    } finally {
      cancel()
      await slow
    }
  }
  const actions: Actions = { ...ACTIONS, pause, open, attempt }
  const lease = { id: newId(), now: clock(), voidBefore: settings().LEASES_VOID_BEFORE }
  return run(delivery({ wakeUp, queue, lease, startUntil, repeated }), actions, by)
}
