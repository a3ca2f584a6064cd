/** The delivery of a lane as a pure function: what is done next, after what has happened. */
import { describeOutcome, isTaken } from '../egress/post.ts'
import { askedDelay } from '../egress/retry-after.ts'
import { log } from '../log.ts'
import { type MetricName, measure } from '../metrics.ts'
import { faultOf, reachedBy, SLOW_MS } from './circuit-breaker.ts'
import { type CorruptItem, logCorrupt } from './corrupt-item.ts'
import { type Destination, isClosed, isQuick, isSlow, type Target } from './destination.ts'
import { tell, tellIfChanged } from './destination-events.ts'
import { laneWrites } from './lane.ts'
import type { Attempt, LaneContents } from './lane-contents.ts'
import { firstOf, type Lease, leaseOf } from './lease.ts'
import {
  type Delivery,
  end,
  finish,
  guard,
  handOver,
  onFault,
  orLog,
  remove,
  repair,
  waitFor,
  waitUntil,
  write,
  yieldLane,
} from './leave-lane.ts'
import { addFault, isTooMany } from './own-faults.ts'
import { nextAttemptAt } from './retry-plan.ts'
import { ask, type By, type OrElse, type Slot, type Step, withLine } from './step.ts'

/**
 * A delivery ends after this number of items or this time (ms), and the lane is woken again, so that no lane occupies a
 * function for long.
 */
const MAX_ITEMS = 25
const MAX_DELIVERY_MS = 10_000

interface Start extends Pick<Delivery, 'wakeUp' | 'queue'> {
  lease: Lease
  /** Whether the wake-up was received before. */
  repeated: boolean
  /** After this time no attempt is started, because the function would run out of time. Ms since the epoch. */
  startUntil: number
}

/** Delivers the waiting items of a lane, unless another invocation has the lane or it is not due. */
export const delivery = ({ wakeUp, queue, lease, repeated, startUntil }: Start): Step =>
  leaseOf(wakeUp, lease, (leasing, { now }) => {
    if (leasing.leased === undefined) return repair(wakeUp, leasing.found, { repeated, now: lease.now })
    const lane = leasing.leased
    const { kind } = wakeUp.reason
    const d: Delivery = {
      ...{ lane, wakeUp, queue, ended: false, done: 0, faults: lane.faults, counts: {} },
      endsAt: Math.min(now + MAX_DELIVERY_MS, startUntil),
      failures: lane.failures ?? 0,
      holderDied: (lane.leases ?? 1) > 1,
      inList: kind === 'probe' || kind === 'due',
      probes: kind === 'probe',
    }
    return ask(
      'open',
      [lane.lane, firstOf(lane, wakeUp)],
      (contents, by) => (contents ? read({ ...d, contents, items: [], more: false }, by) : unknown(d)),
      onFault(d),
    )
  })

const unknown = (d: Delivery): Step =>
  withLine(
    () =>
      measure(
        'error',
        'a wake-up for a lane of no known kind',
        { event: 'outbox.unknown_lane' },
        { values: { WakeUpsDead: 1 } },
      ),
    remove(d),
  )

/** The items that were read and are not done, and whether there are more. The first is the one that is delivered. */
interface Reading extends Delivery {
  contents: LaneContents<unknown>
  items: readonly unknown[]
  more: boolean
}

const read = (before: Reading, { now }: By): Step =>
  ask(
    'read',
    [before.contents, now],
    ({ items, more, corrupt }, by) => {
      const d = { ...before, items, more }
      if (corrupt.length > 0) return setAside(d, corrupt, by)
      // A lane that is dirty is read again.
      return items.length === 0
        ? finish(d, [], true, (after, at) => (after.ended ? end(after) : read(after, at)))
        : begin(d, by)
    },
    onFault(before),
  )

/** Sets aside what cannot be read. */
const setAside = (d: Reading, [first, ...rest]: readonly CorruptItem[], by: By): Step =>
  first === undefined
    ? read(d, by)
    : finish(d, first.writes, false, (after, at) =>
        withLine(() => logCorrupt({ lane: d.lane.lane, ...first.about }), setAside(after, rest, at)),
      )

const isLast = ({ more, items }: Reading): boolean => !more && items.length === 1

/** Begins with an item, or ends the delivery in favour of other lanes. */
const begin = (before: Reading, by: By): Step => {
  if (before.done === MAX_ITEMS || (before.done > 0 && by.now >= before.endsAt)) return yieldLane(before, by)
  const d = { ...before, item: before.contents.idOf(before.items[0]) }
  return guard(d, by, () => beginItem(d, d.item, by))
}

const beginItem = (d: Reading, id: string, by: By): Step => {
  const { contents, items } = d
  const [item] = items
  const unsent = contents.endWithoutSending(item)
  if (unsent !== undefined) return finish(d, unsent, isLast(d), nextItem)
  if (d.faults === undefined && !d.holderDied) return readTarget(d, by)
  const faults = addFault(d.faults, id, d.holderDied ? 'ends' : undefined, by.now)
  const tried = { ...d, faults, holderDied: false }
  if (!isTooMany(faults, by.now)) return write(tried, [laneWrites.tries(d.lane, faults)], (at) => readTarget(tried, at))
  // A redrive or a replay brings it back.
  const about = { event: 'outbox.item_set_aside', ...contents.about(item) }
  return withLine(() => logCorrupt(about), giveUp(tried, by))
}

const readTarget = (d: Reading, { now }: By): Step =>
  ask(
    'target',
    [d.contents.destinationOf(d.items[0]), now],
    (target, by) => guard(d, by, () => onTarget(d, target, by)),
    onFault(d),
  )

const onTarget = (d: Reading, target: Target, by: By): Step => {
  const { origin, address } = target
  const giveUpAt = d.contents.giveUpAt(d.items[0])
  const closed = [origin, address].find(isClosed)
  if (closed !== undefined && !d.probes)
    // Only here: if the destination is open, an item whose time is over gets a last attempt.
    return by.now >= giveUpAt ? giveUp(d, by) : waitFor(d, { ...closed, giveUpAt }, by)
  const at = { ...d, isQuick: isQuick(origin, by.now) }
  // An origin that is not known to be quick may take long. In the slow queue it delays only other lanes of the same
  // owner.
  if (!at.isQuick && d.queue === 'fast') return handOver(at, by)
  if (!isSlow(origin, by.now)) return attempt(at, target)
  const onSlot = (slot: Slot | undefined, after: By): Step =>
    slot === undefined ? waitFor(at, { ...origin, giveUpAt }, after) : attempt(at, target, slot)
  const one = { now: by.now, random: by.random() }
  return ask('takeSlot', [origin.destination, d.lane.lease, one], onSlot, onFault(at))
}

const attempt = (d: Reading, target: Target, slot?: Slot): Step => {
  const { origin } = target
  // It is recorded before the attempt ends, so that other lanes know at once.
  const ifSlow = (by: By): Step =>
    recordDuration(origin, { took: SLOW_MS, answered: false, now: by.now }, () => ({ result: undefined }), by)
  const onEnd = (made: Attempt, by: By): Step => guard(d, by, () => onAttempted(d, { target, slot, attempt: made }, by))
  return ask('attempt', [d.contents, d.items[0], ifSlow], onEnd, onFault(d))
}

/** An attempt that was made. */
interface Tried {
  target: Target
  slot: Slot | undefined
  attempt: Attempt
}

const onAttempted = (d: Reading, tried: Tried, by: By): Step => {
  const { contents, items } = d
  if (!isTaken(tried.attempt.outcome)) return record(d, tried, by)
  // A success is recorded before anything else, because a fault in between would send the item twice.
  return finish(d, contents.delivered(items[0], tried.attempt), isLast(d), (after, at) =>
    record(count(after, contents.metrics.delivered), tried, at),
  )
}

const recordDuration = (
  origin: Destination,
  duration: { took: number; answered: boolean; now: number },
  next: (by: By) => Step,
  by: By,
): Step => {
  const { now, ...took } = duration
  const event = { kind: 'took', ...took } as const
  return tellIfChanged(origin, { event, now, next: (_, at) => next(at), orElse: orLog('duration', next) }, by)
}

const record = (d: Reading, tried: Tried, by: By): Step => {
  const { target, slot, attempt } = tried
  const { outcome, endedAt: now } = attempt
  const onRecorded = (at: By): Step =>
    isTaken(outcome)
      ? reached(d, tried, nextItem, at, (next) => orLog('success', next))
      : failed(count(d, 'AttemptsFailed'), tried, at)
  const tellContents = (): Step =>
    ask('afterAttempt', [d.contents, d.items[0], attempt], (_, at) => onRecorded(at), orLog('contents', onRecorded))
  const duration = { took: outcome.milliseconds, answered: outcome.status !== undefined, now }
  const onReleased = (at: By): Step => recordDuration(target.origin, duration, tellContents, at)
  return slot === undefined
    ? onReleased(by)
    : ask('releaseSlot', [slot], (_, at) => onReleased(at), orLog('slot', onReleased))
}

/** An attempt has reached the origin, or the address too. A probe opens them. */
const reached = (
  d: Reading,
  { target, attempt }: Tried,
  next: (after: Reading, by: By) => Step,
  by: By,
  orElse: (next: (by: By) => Step) => OrElse,
): Step => {
  const { probes } = d
  const event = { kind: probes ? 'reached' : 'delivered', lane: d.lane.lane } as const
  const all = [...reachedBy(attempt.outcome, target)]
  const each = ([one, ...rest]: Destination[], at: By): Step => {
    if (one === undefined) return next({ ...d, probes: probes && all.length === 0 }, at)
    const goOn = (after: By): Step => each(rest, after)
    const telling = { event, now: attempt.endedAt, next: (_: unknown, after: By) => goOn(after), orElse: orElse(goOn) }
    return probes ? tell({ ...telling, destination: one.destination }) : tellIfChanged(one, telling, at)
  }
  return each(all, by)
}

const failed = (d: Reading, tried: Tried, by: By): Step => {
  const { target, attempt } = tried
  const fault = faultOf(attempt.outcome)
  const open = (closed: string | undefined, at: By): Step => {
    const next = (after: Reading, last: By): Step =>
      guard(after, last, () => waitAfterFailure(after, attempt, closed, last))
    return d.probes ? reached(d, tried, next, at, () => onFault(d)) : next(d, at)
  }
  if (fault !== 'connection' && fault !== 'gateway') return open(undefined, by)
  const { destination } = fault === 'connection' ? target.origin : target.address
  const { party } = d.contents
  const event = { kind: 'failed', lane: d.lane.lane, party, fault, probe: d.probes, random: by.random() } as const
  const next = (after: Destination, at: By): Step => open(isClosed(after) ? destination : undefined, at)
  return tell({ destination, event, now: attempt.endedAt, next, orElse: onFault(d) })
}

const waitAfterFailure = (before: Reading, attempt: Attempt, closed: string | undefined, by: By): Step => {
  const { contents, items } = before
  const [item] = items
  const { outcome, endedAt: now } = attempt
  const unsent = contents.endWithoutSending(item)
  if (unsent !== undefined) return finish(before, unsent, isLast(before), nextItem)
  const d = { ...before, failures: before.failures + 1 }
  const { failures } = d
  const giveUpAt = contents.giveUpAt(item)
  const retryAfter = askedDelay(outcome, now)
  const next = nextAttemptAt(contents.plan, { failures, random: by.random(), retryAfter, now, giveUpAt })
  const line = () =>
    log('warn', 'an attempt has failed', {
      ...{ event: 'outbox.attempt_failed', ...contents.about(item), failures, fault: faultOf(outcome) },
      lastError: describeOutcome(outcome),
      milliseconds: outcome.milliseconds,
      ...(next !== undefined && { nextAttemptAt: new Date(next).toISOString() }),
    })
  if (next === undefined) return withLine(line, giveUp(d, by, attempt))
  const writes = contents.failed(item, attempt, next)
  if (closed !== undefined) return withLine(line, waitFor(d, { destination: closed, giveUpAt }, by, writes))
  return withLine(line, waitUntil(d, { at: next, failures }, by, writes))
}

/** Removes the item. If it has several messages, they are all given up, so the items have to be read again. */
const giveUp = (d: Reading, by: By, attempt?: Attempt): Step => {
  const { contents, items } = d
  const [item] = items
  const line = () => log('warn', 'an item was given up', { event: 'outbox.given_up', ...contents.about(item) })
  const next = (after: Reading, at: By): Step => nextItem({ ...count(after, contents.metrics.givenUp), items: [] }, at)
  return withLine(line, finish(d, contents.givenUp(item, by.now, attempt), isLast(d), next))
}

const nextItem = (before: Reading, by: By): Step => {
  if (before.ended) return end(before)
  const d = { ...before, done: before.done + 1, items: before.items.slice(1) }
  return d.items.length === 0 ? read(d, by) : begin(d, by)
}

const count = (d: Reading, metric: MetricName): Reading => ({
  ...d,
  counts: { ...d.counts, [metric]: (d.counts[metric] ?? 0) + 1 },
})
