/**
 * Delivers from a lane: leases it, attempts its items in their order, records what comes of each, and leaves the lane
 * such that something wakes it if there is more to do.
 */

import { describeOutcome, isTaken } from '../egress/post.ts'
import { askedDelay } from '../egress/retry-after.ts'
import { log } from '../log.ts'
import { type Measurements, type MetricName, measure } from '../metrics.ts'
import { settings } from '../settings.ts'
import { type Actions, actionsIn, type Environment } from './actions.ts'
import { attempt, orLog, recordDuration, recordReached, type Tried } from './attempt.ts'
import { faultOf, isClosed, isQuick, isSlow, report, type Slot } from './destinations/index.ts'
import {
  type Attempt,
  addFault,
  firstOf,
  isTooMany,
  type LaneContents,
  laneWrites,
  leaseLane,
  logCorrupt,
  nextAttemptAt,
} from './lanes/index.ts'
import { HeldLane } from './leave-lane.ts'
import { repairLane } from './repair-lane.ts'
import type { Bulkhead, LaneWakeUp } from './wake-ups/index.ts'

/**
 * A delivery ends after this number of items or this time (ms), and the lane is woken again, so that no lane occupies a
 * function for long.
 */
const MAX_ITEMS = 25
const MAX_DELIVERY_MS = 10_000

interface Received {
  /** The queue of the wake-up. In the fast one, only lanes of destinations that are known to be quick are delivered. */
  queue: 'fast' | 'slow'
  /** After this time no attempt is started, because the function would run out of time. Ms since the epoch. */
  startUntil: number
  /** Whether the wake-up was received before. */
  repeated?: boolean
}

/**
 * Delivers the waiting items of a lane, unless another invocation has the lane or it is not due. If this process dies
 * after a receiver has accepted an item and before that is recorded, the item is sent again with the same id. Throws
 * `store.unavailable`, `store.conflict`.
 */
export const deliverLane = (wakeUp: LaneWakeUp, options: Received & Environment): Promise<void> =>
  deliver(wakeUp, options, actionsIn(options))

/** The same with other actions than on the table and the queues. */
export const deliver = async (wakeUp: LaneWakeUp, received: Received, actions: Actions): Promise<void> => {
  const now = actions.now()
  const lease = { id: actions.newId(), now, voidBefore: settings().LEASES_VOID_BEFORE }
  const { leased, found } = await leaseLane(actions, wakeUp, lease)
  if (leased === undefined) return repairLane(actions, wakeUp, found, { repeated: received.repeated === true, now })

  const lane = new HeldLane(leased, wakeUp, actions)
  const counts: Measurements = {}
  try {
    const contents = await actions.open(lane.name, firstOf(leased, wakeUp))
    if (contents === undefined) await removeUnknown(lane)
    else
      await deliverItems({
        ...{ lane, contents, actions, counts, queue: received.queue },
        holderDied: (leased.leases ?? 1) > 1,
        ...{ probes: wakeUp.reason.kind === 'probe', isQuick: false, stale: false },
        endsAt: Math.min(actions.now() + MAX_DELIVERY_MS, received.startUntil),
      })
  } catch (error) {
    await lane.leaveAfter(error)
  } finally {
    // The outcomes of its attempts are one line of the log; none where nothing was tried.
    if (Object.keys(counts).length > 0)
      measure('info', 'a delivery has ended', { event: 'outbox.delivery_ended' }, { values: counts })
  }
}

const removeUnknown = (lane: HeldLane): Promise<void> => {
  const fields = { event: 'outbox.unknown_lane' } as const
  measure('error', 'a wake-up for a lane of no known kind', fields, { values: { WakeUpsDead: 1 } })
  return lane.remove()
}

interface Delivery {
  lane: HeldLane
  contents: LaneContents<unknown>
  actions: Actions
  /** What became of the items. */
  counts: Measurements
  queue: 'fast' | 'slow'
  /** After this time no other attempt is started; ms since the epoch. */
  endsAt: number
  /** The process of the last holder has ended, perhaps by the item that it tried. */
  holderDied: boolean
  /** Its next attempt shows whether a closed destination is up again. */
  probes: boolean
  /** The destination of the last attempt is known to be quick. */
  isQuick: boolean
  /** An item was given up: if it had several messages, they all were, so the items have to be read again. */
  stale: boolean
}

/** An item, and whether it is the last one. */
interface Turn {
  item: unknown
  isLast: boolean
}

/** Reads the lane's items and delivers them, until the lane is left. */
const deliverItems = async (d: Delivery): Promise<void> => {
  const { lane, contents, actions } = d
  let done = 0
  while (!lane.released) {
    d.stale = false
    const { items, more, corrupt } = await contents.read(actions.now())
    for (const { writes, about } of corrupt) {
      await lane.finish(writes, false)
      logCorrupt({ lane: lane.name, ...about })
    }
    if (corrupt.length > 0) continue
    if (items.length === 0) await lane.finish([], true)
    for (const [index, item] of items.entries()) {
      // In favour of other lanes.
      if (done === MAX_ITEMS || (done > 0 && actions.now() >= d.endsAt)) return lane.yieldTo(bulkheadOf(d))
      lane.item = contents.idOf(item)
      await deliverItem(d, { item, isLast: !more && index === items.length - 1 })
      if (lane.released) return
      done += 1
      if (d.stale) break
    }
  }
}

const bulkheadOf = (d: Delivery): Bulkhead => (d.queue === 'fast' ? 'fast' : d.isQuick ? 'released' : 'slow')

/** Delivers an item, or lets its lane wait. */
const deliverItem = async (d: Delivery, turn: Turn): Promise<void> => {
  const { lane, contents, actions, queue } = d
  const { item } = turn
  if (await endWithoutSending(d, turn)) return
  if (await isSetAside(d, turn)) return giveUp(d, turn)

  const target = await actions.target(contents.destinationOf(item), actions.now())
  const { origin, address } = target
  const now = actions.now()
  const giveUpAt = contents.giveUpAt(item)
  const closed = [origin, address].find(isClosed)
  if (closed !== undefined && !d.probes) {
    // Only here: if the destination is open, an item whose time is over gets a last attempt.
    if (now >= giveUpAt) return giveUp(d, turn)
    return lane.waitFor(closed.destination, giveUpAt)
  }
  d.isQuick = isQuick(origin, now)
  // An origin that is not known to be quick may take long. In the slow queue it delays only other lanes of the same
  // owner.
  if (!d.isQuick && queue === 'fast') return lane.handOver(d.probes)
  let slot: Slot | undefined
  if (isSlow(origin, now)) {
    slot = await actions.takeSlot(origin.destination, lane.lease, { now, random: actions.random() })
    if (slot === undefined) return lane.waitFor(origin.destination, giveUpAt)
  }
  return onAttempted(d, turn, { ...(await attempt(d, item, origin)), target, slot })
}

/** Ends an item that need not be sent (any more). */
const endWithoutSending = async ({ lane, contents }: Delivery, { item, isLast }: Turn): Promise<boolean> => {
  const writes = contents.endWithoutSending(item)
  if (writes !== undefined) await lane.finish(writes, isLast)
  return writes !== undefined
}

/** Whether our own code has failed at the item too often. If it has failed at all, it is recorded that it tries again. */
const isSetAside = async (d: Delivery, { item }: Turn): Promise<boolean> => {
  const { lane, contents, actions } = d
  if (lane.faults === undefined && !d.holderDied) return false
  const now = actions.now()
  lane.faults = addFault(lane.faults, contents.idOf(item), d.holderDied ? 'ends' : undefined, now)
  d.holderDied = false
  if (isTooMany(lane.faults, now)) {
    // A redrive or a replay brings it back.
    logCorrupt({ event: 'outbox.item_set_aside', ...contents.about(item) })
    return true
  }
  await lane.write([laneWrites.tries(lane.leased, lane.faults)])
  return false
}

const onAttempted = async (d: Delivery, turn: Turn, tried: Tried): Promise<void> => {
  const { lane, contents, actions } = d
  const { outcome, endedAt, target, slot } = tried
  const success = isTaken(outcome)
  if (success) {
    // Before anything else, because a fault in between would send the item twice.
    await lane.finish(contents.delivered(turn.item, tried), turn.isLast)
    count(d, contents.metrics.delivered)
  }
  if (slot !== undefined) await orLog('slot', slot.release())
  const duration = { took: outcome.milliseconds, answered: outcome.status !== undefined }
  await recordDuration(actions, target.origin, duration, endedAt)
  await orLog('contents', contents.afterAttempt?.(turn.item, tried))
  if (!success) return onFailed(d, turn, tried)
  await recordReached(d, tried, (recorded) => orLog('success', recorded))
}

const onFailed = async (d: Delivery, turn: Turn, tried: Tried): Promise<void> => {
  const { lane, contents, actions } = d
  const { outcome, endedAt, target } = tried
  count(d, 'AttemptsFailed')
  const fault = faultOf(outcome)
  let closed: string | undefined
  if (fault === 'connection' || fault === 'gateway') {
    const { destination } = fault === 'connection' ? target.origin : target.address
    const failure = { lane: lane.name, party: contents.party, fault, probe: d.probes, random: actions.random() }
    const after = await report(actions, destination, { kind: 'failed', ...failure }, endedAt)
    if (isClosed(after)) closed = destination
  }
  if (d.probes) await recordReached(d, tried, (recorded) => recorded)
  return waitAfterFailure(d, turn, tried, closed)
}

/** Waits for the next attempt, or for a destination that is closed now, or gives up. */
const waitAfterFailure = async (d: Delivery, turn: Turn, tried: Attempt, closed: string | undefined): Promise<void> => {
  const { lane, contents, actions } = d
  const { item } = turn
  const { outcome, endedAt: now } = tried
  if (await endWithoutSending(d, turn)) return
  const failures = lane.failures + 1
  const giveUpAt = contents.giveUpAt(item)
  const retryAfter = askedDelay(outcome, now)
  const next = nextAttemptAt(contents.plan, { failures, random: actions.random(), retryAfter, now, giveUpAt })
  log('warn', 'an attempt has failed', {
    ...{ event: 'outbox.attempt_failed', ...contents.about(item), failures, fault: faultOf(outcome) },
    lastError: describeOutcome(outcome),
    milliseconds: outcome.milliseconds,
    ...(next !== undefined && { nextAttemptAt: new Date(next).toISOString() }),
  })
  if (next === undefined) return giveUp(d, turn, tried)
  const writes = contents.failed(item, tried, next)
  lane.failures = failures
  return closed === undefined ? lane.waitUntil({ at: next, failures }, writes) : lane.waitFor(closed, giveUpAt, writes)
}

/** Removes the item. */
const giveUp = async (d: Delivery, { item, isLast }: Turn, tried?: Attempt): Promise<void> => {
  const { lane, contents, actions } = d
  log('warn', 'an item was given up', { event: 'outbox.given_up', ...contents.about(item) })
  await lane.finish(contents.givenUp(item, actions.now(), tried), isLast)
  count(d, contents.metrics.givenUp)
  d.stale = true
}

const count = ({ counts }: Delivery, metric: MetricName): void => {
  counts[metric] = (counts[metric] ?? 0) + 1
}
