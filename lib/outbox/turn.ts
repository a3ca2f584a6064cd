/** A turn: one invocation delivers the waiting items of a lane in order, and records their outcomes. */
import { describeOutcome, isTaken, type PostOutcome } from '../egress/post.ts'
import { askedDelay } from '../egress/retry-after.ts'
import { errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { type Measurements, type MetricName, measure } from '../metrics.ts'
import { mayPassLater } from '../store/faults.ts'
import type { TableWrite } from '../store/write.ts'
import { type Fault, faultOf, reachedBy, SLOW_MS } from './circuit-breaker.ts'
import { logCorrupt } from './corrupt-item.ts'
import {
  type Destination,
  isClosed,
  isQuick,
  isSlow,
  openDestination,
  recentTarget,
  recordFailure,
  recordSuccess,
  type Target,
} from './destination.ts'
import { HeldLane, type HolderSurroundings } from './held-lane.ts'
import { type LeasedLane, leaseLane } from './lane.ts'
import type { Attempt, LaneContents } from './lane-contents.ts'
import { repairLane } from './repair-lane.ts'
import { nextAttemptAt } from './retry-plan.ts'
import { recordDuration, takeSlot } from './slow-destination.ts'
import type { FirstItem, LaneWakeUp } from './wake-up.ts'

export interface TurnSurroundings extends HolderSurroundings {
  /** After this time no attempt is started, because the function would run out of time. Ms since the epoch. */
  startUntil: number
  /** Calls `act` after some ms. The returned function cancels that. */
  after(ms: number, act: () => void): () => void
  /** Whether the wake-up was received before. */
  repeated?: boolean
  /** `first`: the item to begin with, if no other was waiting before it. */
  open(lane: string, first?: FirstItem): Promise<LaneContents<unknown> | undefined>
}

/** A turn ends after this number of items or this time (ms), and the lane is woken again, so that no lane occupies a function for long. */
const MAX_ITEMS = 25
const MAX_TURN_MS = 10_000

/**
 * Delivers the waiting items of a lane, unless another invocation has the lane or it is not due. If this process dies after a receiver has accepted
 * an item and before that is recorded, the item is sent again with the same id. Throws `store.unavailable`, `store.conflict`.
 */
export const deliverLane = async (wakeUp: LaneWakeUp, surroundings: TurnSurroundings): Promise<void> => {
  const now = surroundings.clock()
  const leasing = await leaseLane(wakeUp, surroundings.newId(), now)
  if (leasing.leased === undefined)
    return repairLane(wakeUp, leasing.found, { now, repeated: surroundings.repeated === true })
  const turn = new Turn(leasing.leased, wakeUp, surroundings)
  try {
    await turn.run()
  } catch (error) {
    await turn.waitAfterFault(error)
  } finally {
    turn.report()
  }
}

/** Ms until a lane is tried again after a fault of our own or of AWS; doubled with each failure, up to the maximum. */
const AFTER_FAULT_MS = 5_000
const MAX_AFTER_FAULT_MS = 5 * 60_000

/**
 * The item of a wake-up, if it may be sent without reading the lane. In a lane that has failed or waited there may be earlier items. In a lane that is
 * still dirty, because its last holder died, there may be items whose wake-ups were already handled.
 */
const firstOf = ({ failures, dueAt, waiting, dirty }: LeasedLane, { reason }: LaneWakeUp): FirstItem | undefined =>
  reason.kind === 'committed' && [failures, dueAt, waiting, dirty].every((one) => one === undefined)
    ? reason.first
    : undefined

class Turn {
  readonly #lane: HeldLane
  readonly #in: TurnSurroundings
  readonly #endsAt: number
  /** Unique to this turn. */
  readonly #owner: string
  readonly #first: FirstItem | undefined
  readonly #counts: Measurements = {}
  #failures: number
  /** The item that is being delivered. */
  #item: string | undefined
  #probes: boolean
  /** Whether the destination of the last attempt is known to be quick. */
  #quick = false
  /** Whether the items that were read are out of date. */
  #stale = false

  constructor(lane: LeasedLane, wakeUp: LaneWakeUp, surroundings: TurnSurroundings) {
    this.#lane = new HeldLane(lane, wakeUp, surroundings)
    this.#in = surroundings
    this.#endsAt = Math.min(surroundings.clock() + MAX_TURN_MS, surroundings.startUntil)
    this.#owner = lane.lease
    this.#failures = lane.failures ?? 0
    this.#first = firstOf(lane, wakeUp)
    this.#probes = wakeUp.reason.kind === 'probe'
  }

  async run(): Promise<void> {
    const contents = await this.#in.open(this.#lane.name, this.#first)
    if (contents === undefined) {
      log('error', 'a wake-up for a lane of no known kind', { event: 'outbox.unknown_lane' })
      return this.#lane.remove()
    }
    for (let done = 0; !this.#lane.ended; ) {
      const { items, more, corrupt } = await contents.read(this.#in.clock())
      for (const { writes, about } of corrupt) {
        await this.#finish(writes, false)
        logCorrupt({ lane: this.#lane.name, ...about }, this.#in.clock())
      }
      if (corrupt.length > 0) continue
      if (items.length === 0) await this.#finish([], true)
      this.#stale = false
      for (const [index, item] of items.entries()) {
        if (this.#lane.ended) return
        if (this.#stale) break
        if (done === MAX_ITEMS || (done > 0 && this.#in.clock() >= this.#endsAt))
          return this.#lane.yield(this.#failures, this.#quick)
        await this.#deliver(contents, item, !more && index === items.length - 1)
        done += 1
      }
    }
  }

  /** The outcomes of the attempts, in one line of the log; none where nothing was tried. */
  report(): void {
    if (Object.keys(this.#counts).length === 0) return
    const measured = { values: this.#counts, now: this.#in.clock() }
    measure('info', 'a turn has ended', { event: 'outbox.turn_ended' }, measured)
  }

  #count(metric: MetricName): void {
    this.#counts[metric] = (this.#counts[metric] ?? 0) + 1
  }

  /** The lane waits after a fault of our own or of AWS. Throws the fault if that cannot be written: then the wake-up is received again. */
  async waitAfterFault(fault: unknown): Promise<void> {
    if (this.#lane.ended) throw fault
    log('error', 'a turn broke off', {
      event: 'outbox.turn_failed',
      lane: this.#lane.name,
      error: errorName(fault),
    })
    try {
      const wait = Math.min(MAX_AFTER_FAULT_MS, AFTER_FAULT_MS * 2 ** Math.min(this.#failures, 10))
      const item = mayPassLater(fault) ? undefined : this.#item
      await this.#lane.waitAfterFault(this.#in.clock() + wait, this.#failures + 1, item)
    } catch (error) {
      // After a conflict another invocation has the lane, and has read all that was committed before this one.
      if (!isAgentError(error, 'store.conflict')) throw fault
    }
  }

  /** Delivers an item, or ends the turn. `last`: no other item was found after it. */
  async #deliver<T>(contents: LaneContents<T>, item: T, last: boolean): Promise<void> {
    const { clock, random, speed } = this.#in
    this.#item = contents.idOf(item)
    const settled = contents.settle(item)
    if (settled !== undefined) return this.#finish(settled, last)
    if (!(await this.#lane.mayTry(this.#item))) {
      // A redrive or a replay brings it back.
      logCorrupt({ event: 'outbox.item_set_aside', ...contents.about(item) }, clock())
      return this.#giveUp(contents, item, last)
    }

    const giveUpAt = contents.giveUpAt(item)
    const target = await recentTarget(contents.destinationOf(item), clock())
    const { origin, address } = target
    const closed = [origin, address].find(isClosed)
    if (closed !== undefined && !this.#probes)
      // Only here: if the destination is open, an item whose time is over gets a last attempt.
      return clock() >= giveUpAt ? this.#giveUp(contents, item, last) : this.#lane.waitFor(closed.destination, giveUpAt)
    this.#quick = isQuick(origin, clock())
    // An origin that is not known to be quick may take long. In the slow queue it delays only other lanes of the same owner.
    if (!this.#quick && speed === 'fast') return this.#lane.handOver(this.#probes)
    const slow = isSlow(origin, clock())
    const at = { now: clock(), random: random() }
    const slot = slow ? await takeSlot(origin.destination, this.#owner, at) : undefined
    if (slow && slot === undefined) return this.#lane.waitFor(origin.destination, giveUpAt)

    const startedAt = clock()
    const outcome = await this.#send(origin, () => contents.send(item, startedAt))
    const attempt = { outcome, startedAt, endedAt: clock() }
    const taken = isTaken(outcome)
    // A success is recorded before anything else, because a fault in between would send the item twice.
    if (taken) {
      await this.#finish(contents.delivered(item, attempt), last)
      this.#count(contents.metrics.delivered)
    }
    await this.#recordOrLog('slot', async () => slot?.release())
    await this.#recordOrLog('duration', () => {
      const { milliseconds: took, status } = outcome
      return recordDuration({ read: origin, took, answered: status !== undefined, now: attempt.endedAt })
    })
    await this.#recordOrLog('contents', async () => contents.afterAttempt?.(item, attempt))
    if (!taken) return this.#failed(contents, item, attempt, target, last)
    await this.#recordOrLog('success', () => this.#reached(target, attempt))
  }

  /** Makes an attempt. If it takes long, the destination is recorded as slow before it ends, so that other lanes know at once. */
  async #send(read: Destination, send: () => Promise<PostOutcome>): Promise<PostOutcome> {
    let recording: Promise<void> | undefined
    const cancel = this.#in.after(SLOW_MS, () => {
      const late = { read, took: SLOW_MS, answered: false, now: this.#in.clock() }
      recording = this.#recordOrLog('duration', () => recordDuration(late))
    })
    try {
      return await send()
    } finally {
      cancel()
      await recording
    }
  }

  /** Records what an attempt has shown of its destination. An error is only logged, because the next attempt shows the same. */
  async #recordOrLog(what: string, record: () => Promise<void>): Promise<void> {
    try {
      await record()
    } catch (error) {
      log('warn', 'what an attempt has shown was not written down', {
        ...{ event: 'outbox.not_noted', what },
        error: errorName(error),
      })
    }
  }

  async #failed<T>(contents: LaneContents<T>, item: T, attempt: Attempt, target: Target, last: boolean): Promise<void> {
    this.#count('AttemptsFailed')
    const { outcome, endedAt: now } = attempt
    const fault = faultOf(outcome)
    const closed = await this.#closes(contents, target, fault, now)
    if (this.#probes) await this.#reached(target, attempt)
    const settled = contents.settle(item)
    if (settled !== undefined) return this.#finish(settled, last)

    this.#failures += 1
    const next = nextAttemptAt(contents.plan, {
      failures: this.#failures,
      random: this.#in.random(),
      retryAfter: askedDelay(outcome, now),
      now,
      giveUpAt: contents.giveUpAt(item),
    })
    log('warn', 'an attempt has failed', {
      ...{ event: 'outbox.attempt_failed', ...contents.about(item), failures: this.#failures, fault },
      lastError: describeOutcome(outcome),
      milliseconds: outcome.milliseconds,
      ...(next !== undefined && { nextAttemptAt: new Date(next).toISOString() }),
    })
    if (next === undefined) return this.#giveUp(contents, item, last, attempt)
    const writes = contents.failed(item, { ...attempt, nextAttemptAt: next })
    if (closed !== undefined) return this.#lane.waitFor(closed, contents.giveUpAt(item), writes)
    await this.#lane.waitUntil(next, this.#failures, writes)
  }

  /** Counts a failure that may close the origin or the address. Returns that one's name if it is closed now. */
  async #closes<T>(
    contents: LaneContents<T>,
    { origin, address }: Target,
    fault: Fault,
    now: number,
  ): Promise<string | undefined> {
    if (fault !== 'connection' && fault !== 'gateway') return undefined
    const { destination } = fault === 'connection' ? origin : address
    const { name: lane } = this.#lane
    const failure = { lane, party: contents.party, fault, probe: this.#probes, now, random: this.#in.random() }
    return isClosed(await recordFailure(destination, failure)) ? destination : undefined
  }

  /** Records that an attempt has reached the origin, or the address too. A probe opens them. */
  async #reached(target: Target, { outcome, endedAt: now }: Attempt): Promise<void> {
    const { name: lane } = this.#lane
    const probes = this.#probes
    for (const one of reachedBy(outcome, target)) {
      this.#probes = false
      await (probes ? openDestination(one.destination, { lane, now }) : recordSuccess(one, lane, now))
    }
  }

  /** Records an item's outcome; the next one starts without failures. */
  async #finish(writes: TableWrite[], last: boolean): Promise<void> {
    await this.#lane.finish(writes, last)
    this.#failures = 0
    this.#item = undefined
  }

  /** Removes the item from the lane. If it has several messages, they are all given up, so the items have to be read again. */
  async #giveUp<T>(contents: LaneContents<T>, item: T, last: boolean, attempt?: Attempt): Promise<void> {
    log('warn', 'an item was given up', { event: 'outbox.given_up', ...contents.about(item) })
    await this.#finish(contents.givenUp(item, this.#in.clock(), attempt), last)
    this.#count(contents.metrics.givenUp)
    this.#stale = true
  }
}
