/**
 * A lane while this invocation holds its lease: how the outcome of an item is recorded, and how the lease is released.
 */

import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { isRetryable } from '../store/aws-errors.ts'
import type { TableWrite } from '../store/write.ts'
import type { Actions } from './actions.ts'
import {
  ensureDestinationDue,
  ensureDueUnlessCached,
  entryRemoval,
  entryWrite,
  newEntry,
} from './destinations/index.ts'
import {
  addInternalError,
  type InternalErrors,
  type LeasedLane,
  laneWrites,
  pauseBefore,
  type Wait,
} from './lanes/index.ts'
import type { Bulkhead, LaneWakeUp } from './wake-ups/index.ts'

/** Maximum number of repetitions of a write that conflicts with another transaction. */
const MAX_CONFLICTS = 5

/**
 * AWS stops a chain of about 16 functions that invoke each other through SQS. After this number, the sweep wakes the
 * lane.
 */
const MAX_HOPS = 12

/** If the wake-up of a lane that was handed over is lost, the lane is due after this time (ms). */
const HANDED_OVER_MS = 15 * 60_000

/** Ms until the next try after an error of this code or of AWS; doubled with each failure, up to the maximum. */
const AFTER_ERROR_MS = 5_000
const MAX_AFTER_ERROR_MS = 5 * 60_000

/** Methods that write throw `store.unavailable`, and `store.conflict` if another invocation has leased the lane. */
export class LaneLease {
  /** The lease was released. */
  isLeaseReleased = false
  /** The item that is being delivered, its failed attempts, and the internal errors at it. */
  item: string | undefined
  failures: number
  internalErrors: InternalErrors | undefined
  readonly leased: LeasedLane
  readonly #wakeUp: LaneWakeUp
  readonly #actions: Actions
  /** The lane may still have an entry in a waiting list. Otherwise the sender of the wake-up removes it. */
  #inList: boolean

  constructor(lane: LeasedLane, wakeUp: LaneWakeUp, actions: Actions) {
    this.leased = lane
    this.failures = lane.failures ?? 0
    this.internalErrors = lane.faults
    this.#wakeUp = wakeUp
    this.#actions = actions
    this.#inList = wakeUp.reason.kind === 'probe' || wakeUp.reason.kind === 'due'
  }

  get name(): string {
    return this.leased.lane
  }

  get lease(): string {
    return this.leased.lease
  }

  /**
   * Records an item's outcome. After the last item the lane is removed, unless another item was committed concurrently:
   * then the lease is kept, and the caller reads the items again.
   */
  async finish(writes: TableWrite[], isLast: boolean): Promise<void> {
    if (isLast) {
      const failed = await this.#transact([...writes, laneWrites.end(this.leased), ...this.#entryRemovals()])
      if (failed.length === 0) this.isLeaseReleased = true
      else if (failed.some((index) => index !== writes.length)) throw leaseLostError()
    }
    if (!this.isLeaseReleased) {
      const keepLease = isLast ? laneWrites.readAgain(this.leased) : laneWrites.nextItem(this.leased)
      await this.write([...writes, keepLease, ...this.#entryRemovals()])
      this.#inList = false
    }
    this.item = undefined
    this.failures = 0
    this.internalErrors = undefined
  }

  /** Writes a transaction. Each write depends on the lease. */
  async write(writes: TableWrite[]): Promise<void> {
    if ((await this.#transact(writes)).length > 0) throw leaseLostError()
  }

  /** Removes a lane in which nothing can be delivered. */
  remove(): Promise<void> {
    return this.#release([laneWrites.end(this.leased)])
  }

  /** Releases the lease: the lane waits until a time. `writes` record the attempt. */
  async waitUntil(wait: Omit<Wait, 'now'>, writes: TableWrite[] = []): Promise<void> {
    const waits = laneWrites.wait(this.leased, { ...wait, now: this.#actions.now() })
    await this.#release([...writes, waits, ...this.#entryRemovals()])
    const reason = { kind: 'due', at: wait.at } as const
    await this.#actions.wakeLater({ lane: this.name, reason }, wait.at - this.#actions.now())
  }

  /** Releases the lease: the lane waits in its destination's list until that is open or has a free slot. */
  async waitFor(destination: string, giveUpAt: number, writes: TableWrite[] = []): Promise<void> {
    const actions = this.#actions
    const now = actions.now()
    const lane = this.name
    // A new name even if the lane has an entry already, so that a repeated wake-up for the old one does nothing.
    const entry = newEntry(lane, giveUpAt, actions.newId())
    const waits = [
      laneWrites.waitForDestination(this.leased, { entry, destination }),
      entryWrite(destination, { lane, entry, now }),
    ]
    // Both before and after the lane is added, because an invocation that finds the list empty removes the destination
    // from the index `due`.
    await ensureDueUnlessCached(actions, destination, now)
    await this.#release([...writes, ...waits, ...this.#entryRemovals()])
    await ensureDestinationDue(actions, destination, now)
  }

  /** Hands the lane over to the slow queue. `probes`: it was woken for a probe that is not done yet. */
  async handOver(probes: boolean): Promise<void> {
    const now = this.#actions.now()
    const lane = this.name
    const { reason: wakeUpReason } = this.#wakeUp
    const isProbe = probes && wakeUpReason.kind === 'probe'
    const reason = isProbe
      ? { ...wakeUpReason, at: now }
      : ({ kind: 'released', waiting: `slow|${this.lease}` } as const)
    await this.#release(
      isProbe
        ? [laneWrites.handOverProbe(this.leased)]
        : [laneWrites.handOver(this.leased, reason.waiting, now + HANDED_OVER_MS), ...this.#entryRemovals()],
    )
    const [accepted] = await this.#actions.wakeLanes([{ lane, reason }], 'slow')
    if (accepted === true) return
    log('warn', 'lane not handed over', { event: 'outbox.not_handed_over', lane })
    // The error makes SQS deliver the wake-up again, which repeats this. After a probe the next probe follows anyway.
    if (!isProbe) throw new AgentError('store.unavailable', 'the slow queue is unavailable')
  }

  /** Ends the delivery, so that other lanes get a turn. The lane is due again immediately. */
  async yieldTo(bulkhead: Bulkhead): Promise<void> {
    const at = this.#actions.now()
    await this.#release([laneWrites.wait(this.leased, { at, failures: this.failures, now: at })])
    const hops = (this.#wakeUp.hops ?? 0) + 1
    const wakeUp = { lane: this.name, reason: { kind: 'due', at }, hops } as const
    if (hops <= MAX_HOPS) await this.#actions.wakeLanes([wakeUp], bulkhead)
  }

  /**
   * Lets the lane wait after an error of this code or of AWS. If that cannot be written, throws the error: then SQS
   * delivers the wake-up again.
   */
  async releaseAfterError(cause: unknown): Promise<void> {
    if (this.isLeaseReleased) throw cause
    log('error', 'delivery aborted', {
      ...{ event: 'outbox.delivery_failed', lane: this.name },
      error: errorName(cause),
    })
    const now = this.#actions.now()
    const wait = Math.min(MAX_AFTER_ERROR_MS, AFTER_ERROR_MS * 2 ** Math.min(this.failures, 10))
    const { item } = this
    const internalErrors =
      item === undefined || isRetryable(cause)
        ? this.internalErrors
        : addInternalError(this.internalErrors, item, 'errors', now)
    try {
      await this.waitUntil({ at: now + wait, failures: this.failures + 1, internalErrors })
    } catch (error) {
      // Another invocation has leased the lane since, and has read all items.
      if (!isAgentError(error, 'store.conflict')) throw cause
    }
  }

  async #release(writes: TableWrite[]): Promise<void> {
    await this.write(writes)
    this.isLeaseReleased = true
  }

  /** Returns the indexes of the writes whose condition failed. If there are any, nothing was written. */
  async #transact(writes: TableWrite[]): Promise<number[]> {
    for (let conflicts = 0; ; conflicts++) {
      const result = await this.#actions.transact(writes)
      if (result.written) return []
      if (result.failed.length > 0) return result.failed
      if (conflicts === MAX_CONFLICTS)
        throw new AgentError('store.unavailable', 'too many conflicts with other transactions on the lane')
      await pauseBefore(this.#actions, conflicts)
    }
  }

  /** The write that removes the lane's entry from the waiting list, if it may be there. */
  #entryRemovals(): TableWrite[] {
    const { waiting, waitsFor } = this.leased
    return this.#inList && waiting !== undefined && waitsFor !== undefined ? [entryRemoval(waitsFor, waiting)] : []
  }
}

const leaseLostError = (): AgentError => new AgentError('store.conflict', 'another invocation has leased the lane')
