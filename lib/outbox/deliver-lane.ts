/**
 * Delivers the items of a lane: leases it, sends its items in order, records each outcome, and releases the lease. If
 * there is more to do, a wake-up follows.
 */

import { describeOutcome, isSuccess } from '../egress/post.ts'
import { requestedDelay } from '../egress/retry-after.ts'
import { log } from '../log.ts'
import { type Measurements, type MetricName, measure } from '../metrics.ts'
import { settings } from '../settings.ts'
import { type Actions, actionsIn, type Environment } from './actions.ts'
import { type FinishedAttempt, logIfFails, recordDuration, recordReached, sendItem } from './attempt.ts'
import { failureScopeOf, isClosed, isQuick, isSlow, report, type Slot } from './destinations/index.ts'
import {
  type Attempt,
  addInternalError,
  exceedsMaxErrors,
  firstOf,
  type LaneContents,
  laneWrites,
  leaseLane,
  logCorrupt,
  nextAttemptAt,
} from './lanes/index.ts'
import { LaneLease } from './leave-lane.ts'
import { repairLane } from './repair-lane.ts'
import type { Bulkhead, LaneWakeUp } from './wake-ups/index.ts'

/**
 * A delivery ends after this number of items or this time (ms), and the lane is woken again, so that no lane occupies a
 * function for long.
 */
const MAX_ITEMS = 25
const MAX_DELIVERY_MS = 10_000

interface DeliveryOptions {
  /** The queue of the wake-up. From the fast queue, only lanes of destinations known to be quick are delivered. */
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
export const deliverLane = (wakeUp: LaneWakeUp, options: DeliveryOptions & Environment): Promise<void> =>
  deliver(wakeUp, options, actionsIn(options))

/** `deliverLane` with the given actions. */
export const deliver = async (wakeUp: LaneWakeUp, options: DeliveryOptions, actions: Actions): Promise<void> => {
  const now = actions.now()
  const lease = { id: actions.newId(), now, voidBefore: settings().LEASES_VOID_BEFORE }
  const { leased, found } = await leaseLane(actions, wakeUp, lease)
  if (leased === undefined) return repairLane(actions, wakeUp, found, { repeated: options.repeated === true, now })

  const lane = new LaneLease(leased, wakeUp, actions)
  const counts: Measurements = {}
  try {
    const contents = await actions.contentsOf(lane.name, firstOf(leased, wakeUp))
    if (contents === undefined) await removeUnknown(lane)
    else
      await deliverItems({
        ...{ lane, contents, actions, counts, queue: options.queue },
        holderDied: (leased.leases ?? 1) > 1,
        ...{ probes: wakeUp.reason.kind === 'probe', isQuick: false, mustReadAgain: false },
        endsAt: Math.min(actions.now() + MAX_DELIVERY_MS, options.startUntil),
      })
  } catch (error) {
    await lane.releaseAfterError(error)
  } finally {
    // One log line for all attempts of this delivery.
    if (Object.keys(counts).length > 0)
      measure('info', 'delivery ended', { event: 'outbox.delivery_ended' }, { values: counts })
  }
}

const removeUnknown = (lane: LaneLease): Promise<void> => {
  const fields = { event: 'outbox.unknown_lane' } as const
  measure('error', 'the wake-up names a lane of an unknown kind', fields, { values: { WakeUpsDead: 1 } })
  return lane.remove()
}

interface Delivery {
  lane: LaneLease
  contents: LaneContents<unknown>
  actions: Actions
  /** Number of attempts by outcome, as metrics. */
  counts: Measurements
  queue: 'fast' | 'slow'
  /** After this time no other attempt is started; ms since the epoch. */
  endsAt: number
  /** The process of the last holder died, perhaps because of the item that it tried. */
  holderDied: boolean
  /** The next attempt is a probe: it shows whether a closed destination is up again. */
  probes: boolean
  /** The destination of the last attempt is known to be quick. */
  isQuick: boolean
  /** The items must be read again: one was given up, with all its messages. */
  mustReadAgain: boolean
}

/** The item to send, and whether it is the last one of its lane. */
interface CurrentItem {
  item: unknown
  isLast: boolean
}

/** Reads the lane's items and delivers them, until the lane is released. */
const deliverItems = async (d: Delivery): Promise<void> => {
  const { lane, contents, actions } = d
  let finished = 0
  while (!lane.isLeaseReleased) {
    d.mustReadAgain = false
    const { items, more, corrupt } = await contents.read(actions.now())
    for (const { writes, about } of corrupt) {
      await lane.finish(writes, false)
      logCorrupt({ lane: lane.name, ...about })
    }
    if (corrupt.length > 0) continue
    if (items.length === 0) await lane.finish([], true)
    for (const [index, item] of items.entries()) {
      // Other lanes get a turn.
      if (finished === MAX_ITEMS || (finished > 0 && actions.now() >= d.endsAt)) return lane.yieldTo(bulkheadOf(d))
      lane.item = contents.idOf(item)
      await deliverItem(d, { item, isLast: !more && index === items.length - 1 })
      if (lane.isLeaseReleased) return
      finished += 1
      if (d.mustReadAgain) break
    }
  }
}

const bulkheadOf = (d: Delivery): Bulkhead => (d.queue === 'fast' ? 'fast' : d.isQuick ? 'released' : 'slow')

/** Sends an item, or lets its lane wait. */
const deliverItem = async (d: Delivery, current: CurrentItem): Promise<void> => {
  const { lane, contents, actions, queue } = d
  const { item } = current
  if (await endWithoutSending(d, current)) return
  if (await mustSetAside(d, current)) return giveUp(d, current)

  const target = await actions.target(contents.destinationOf(item), actions.now())
  const { origin, address } = target
  const now = actions.now()
  const giveUpAt = contents.giveUpAt(item)
  const closed = [origin, address].find(isClosed)
  if (closed !== undefined && !d.probes) {
    // Only for a closed destination: an open one gets a last attempt even if the item's lifetime is over.
    if (now >= giveUpAt) return giveUp(d, current)
    return lane.waitFor(closed.destination, giveUpAt)
  }
  d.isQuick = isQuick(origin, now)
  // Other origins may respond slowly. In the slow queue they delay only other lanes of the same owner.
  if (!d.isQuick && queue === 'fast') return lane.handOver(d.probes)
  let slot: Slot | undefined
  if (isSlow(origin, now)) {
    slot = await actions.takeSlot(origin.destination, lane.lease, { now, random: actions.random() })
    if (slot === undefined) return lane.waitFor(origin.destination, giveUpAt)
  }
  return onAttempted(d, current, { ...(await sendItem(d, item, origin)), target, slot })
}

/** Removes an item that must not be sent (any more). Returns whether it did. */
const endWithoutSending = async ({ lane, contents }: Delivery, { item, isLast }: CurrentItem): Promise<boolean> => {
  const writes = contents.endWithoutSending(item)
  if (writes !== undefined) await lane.finish(writes, isLast)
  return writes !== undefined
}

/** Whether this code has failed at the item too often, so that the item is set aside. If not, records the new try. */
const mustSetAside = async (d: Delivery, { item }: CurrentItem): Promise<boolean> => {
  const { lane, contents, actions } = d
  if (lane.internalErrors === undefined && !d.holderDied) return false
  const now = actions.now()
  lane.internalErrors = addInternalError(
    lane.internalErrors,
    contents.idOf(item),
    d.holderDied ? 'ends' : undefined,
    now,
  )
  d.holderDied = false
  if (exceedsMaxErrors(lane.internalErrors, now)) {
    // A redrive or a replay puts it back into its lane.
    logCorrupt({ event: 'outbox.item_set_aside', ...contents.about(item) })
    return true
  }
  await lane.write([laneWrites.recordTry(lane.leased, lane.internalErrors)])
  return false
}

const onAttempted = async (d: Delivery, current: CurrentItem, attempt: FinishedAttempt): Promise<void> => {
  const { lane, contents, actions } = d
  const { outcome, endedAt, target, slot } = attempt
  const success = isSuccess(outcome)
  if (success) {
    // Recorded first, because an error before this write would send the item twice.
    await lane.finish(contents.delivered(current.item, attempt), current.isLast)
    count(d, contents.metrics.delivered)
  }
  if (slot !== undefined) await logIfFails('slot', slot.release())
  const duration = { took: outcome.milliseconds, answered: outcome.status !== undefined }
  await recordDuration(actions, target.origin, duration, endedAt)
  await logIfFails('contents', contents.afterAttempt?.(current.item, attempt))
  if (!success) return onFailed(d, current, attempt)
  await recordReached(d, attempt, (recorded) => logIfFails('success', recorded))
}

const onFailed = async (d: Delivery, current: CurrentItem, attempt: FinishedAttempt): Promise<void> => {
  const { lane, contents, actions } = d
  const { outcome, endedAt, target } = attempt
  count(d, 'AttemptsFailed')
  const scope = failureScopeOf(outcome)
  let closed: string | undefined
  if (scope === 'connection' || scope === 'gateway') {
    const { destination } = scope === 'connection' ? target.origin : target.address
    const { party } = contents
    const after = await report(
      actions,
      destination,
      { kind: 'failed', lane: lane.name, party, scope, probe: d.probes, random: actions.random() },
      endedAt,
    )
    if (isClosed(after)) closed = destination
  }
  if (d.probes) await recordReached(d, attempt, (recorded) => recorded)
  return waitAfterFailure(d, current, attempt, closed)
}

/**
 * Lets the lane wait for the next attempt, or for the destination that this failure has closed, or gives the item up.
 */
const waitAfterFailure = async (
  d: Delivery,
  current: CurrentItem,
  attempt: Attempt,
  closed: string | undefined,
): Promise<void> => {
  const { lane, contents, actions } = d
  const { item } = current
  const { outcome, endedAt: now } = attempt
  if (await endWithoutSending(d, current)) return
  const failures = lane.failures + 1
  const giveUpAt = contents.giveUpAt(item)
  const retryAfter = requestedDelay(outcome, now)
  const next = nextAttemptAt(contents.plan, { failures, random: actions.random(), retryAfter, now, giveUpAt })
  log('warn', 'delivery attempt failed', {
    ...{ event: 'outbox.attempt_failed', ...contents.about(item), failures, fault: failureScopeOf(outcome) },
    lastError: describeOutcome(outcome),
    milliseconds: outcome.milliseconds,
    ...(next !== undefined && { nextAttemptAt: new Date(next).toISOString() }),
  })
  if (next === undefined) return giveUp(d, current, attempt)
  const writes = contents.failed(item, attempt, next)
  lane.failures = failures
  return closed === undefined ? lane.waitUntil({ at: next, failures }, writes) : lane.waitFor(closed, giveUpAt, writes)
}

/** Removes the item, and records that it was not delivered. */
const giveUp = async (d: Delivery, { item, isLast }: CurrentItem, attempt?: Attempt): Promise<void> => {
  const { lane, contents, actions } = d
  log('warn', 'item given up', { event: 'outbox.given_up', ...contents.about(item) })
  await lane.finish(contents.givenUp(item, actions.now(), attempt), isLast)
  count(d, contents.metrics.givenUp)
  d.mustReadAgain = true
}

const count = ({ counts }: Delivery, metric: MetricName): void => {
  counts[metric] = (counts[metric] ?? 0) + 1
}
