/** A lane while this invocation has its lease: how the outcome of an item is recorded, and how the lane is left. */

import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { isRetryable } from '../store/faults.ts'
import type { TableWrite } from '../store/write.ts'
import type { Actions } from './actions.ts'
import { awaitDestination, awaitUnlessDue, entryRemoval, entryWrite, newEntry } from './destinations/index.ts'
import { addFault, type LeasedLane, laneWrites, type OwnFaults, pauseBefore, type Wait } from './lanes/index.ts'
import type { Bulkhead, LaneWakeUp } from './wake-ups/index.ts'

/** Maximum number of repetitions of a write that conflicts with another transaction. */
const MAX_CONFLICTS = 5

/**
 * AWS stops a chain of functions that call each other through SQS after 16. Before that, the lane is left to the sweep.
 */
const MAX_HOPS = 12

/** A lane that was handed over is due after this time (ms), in case its wake-up is lost. */
const HANDED_OVER_MS = 15 * 60_000

/** Ms until a lane is tried again after a fault of our own or of AWS; doubled with each failure, up to the maximum. */
const AFTER_FAULT_MS = 5_000
const MAX_AFTER_FAULT_MS = 5 * 60_000

/** Methods that write throw `store.unavailable`, and `store.conflict` if another invocation has the lane. */
export class HeldLane {
  /** The lease was released. */
  released = false
  /** The item that is being delivered, its failed attempts, and faults of our own at it. */
  item: string | undefined
  failures: number
  faults: OwnFaults | undefined
  readonly leased: LeasedLane
  readonly #wakeUp: LaneWakeUp
  readonly #actions: Actions
  /** The lane may still have an entry in a waiting list. The entry of a released lane is removed with its wake-up. */
  #inList: boolean

  constructor(lane: LeasedLane, wakeUp: LaneWakeUp, actions: Actions) {
    this.leased = lane
    this.failures = lane.failures ?? 0
    this.faults = lane.faults
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
   * Records an item's outcome. With the last one the lane ends, unless an item was committed concurrently: then it is
   * still held, and to be read again.
   */
  async finish(writes: TableWrite[], isLast: boolean): Promise<void> {
    if (isLast) {
      const failed = await this.#transact([...writes, laneWrites.end(this.leased), ...this.#entryRemovals()])
      if (failed.length === 0) this.released = true
      else if (failed.some((index) => index !== writes.length)) throw overtaken()
    }
    if (!this.released) {
      const goOn = isLast ? laneWrites.readAgain(this.leased) : laneWrites.nextItem(this.leased)
      await this.write([...writes, goOn, ...this.#entryRemovals()])
      this.#inList = false
    }
    this.item = undefined
    this.failures = 0
    this.faults = undefined
  }

  /** Writes a transaction, all of whose writes depend on the lease. */
  async write(writes: TableWrite[]): Promise<void> {
    if ((await this.#transact(writes)).length > 0) throw overtaken()
  }

  /** Ends a lane in which nothing can be delivered. */
  remove(): Promise<void> {
    return this.#release([laneWrites.end(this.leased)])
  }

  /** The lane waits for a time. `writes` record the attempt. */
  async waitUntil(wait: Omit<Wait, 'now'>, writes: TableWrite[] = []): Promise<void> {
    const waits = laneWrites.wait(this.leased, { ...wait, now: this.#actions.now() })
    await this.#release([...writes, waits, ...this.#entryRemovals()])
    const reason = { kind: 'due', at: wait.at } as const
    await this.#actions.wakeLater({ lane: this.name, reason }, wait.at - this.#actions.now())
  }

  /** The lane waits until its destination is open again, or has room. */
  async waitFor(destination: string, giveUpAt: number, writes: TableWrite[] = []): Promise<void> {
    const actions = this.#actions
    const now = actions.now()
    const lane = this.name
    // A lane that is still in the list gets an entry of another name, so that a repeated wake-up has nothing to do.
    const entry = newEntry(lane, giveUpAt, actions.newId())
    const waits = [
      laneWrites.waitForDestination(this.leased, { entry, destination }),
      entryWrite(destination, { lane, entry, now }),
    ]
    // Before the lane is in the list and after it, because an invocation that finds the list empty removes the
    // destination from the index.
    await awaitUnlessDue(actions, destination, now)
    await this.#release([...writes, ...waits, ...this.#entryRemovals()])
    await awaitDestination(actions, destination, now)
  }

  /** Hands the lane over to the slow queue. `probes`: it has been woken to probe, and still has to. */
  async handOver(probes: boolean): Promise<void> {
    const now = this.#actions.now()
    const lane = this.name
    const { reason: woken } = this.#wakeUp
    const isProbe = probes && woken.kind === 'probe'
    const reason = isProbe ? { ...woken, at: now } : ({ kind: 'released', waiting: `slow|${this.lease}` } as const)
    await this.#release(
      isProbe
        ? [laneWrites.handOverProbe(this.leased)]
        : [laneWrites.handOver(this.leased, reason.waiting, now + HANDED_OVER_MS), ...this.#entryRemovals()],
    )
    const [accepted] = await this.#actions.wakeLanes([{ lane, reason }], 'slow')
    if (accepted === true) return
    log('warn', 'a lane was not handed over', { event: 'outbox.not_handed_over', lane })
    // The wake-up is received again, and tries this again. A probe needs no repetition, because another one follows.
    if (!isProbe) throw new AgentError('store.unavailable', 'the slow queue does not answer')
  }

  /** Ends the delivery in favour of other lanes. The lane is due again at once. */
  async yieldTo(bulkhead: Bulkhead): Promise<void> {
    const at = this.#actions.now()
    await this.#release([laneWrites.wait(this.leased, { at, failures: this.failures, now: at })])
    const hops = (this.#wakeUp.hops ?? 0) + 1
    const wakeUp = { lane: this.name, reason: { kind: 'due', at }, hops } as const
    if (hops <= MAX_HOPS) await this.#actions.wakeLanes([wakeUp], bulkhead)
  }

  /**
   * The lane waits after a fault of our own or of AWS. If that cannot be written, the fault is thrown: then the wake-up
   * is received again.
   */
  async leaveAfter(fault: unknown): Promise<void> {
    if (this.released) throw fault
    log('error', 'a delivery broke off', {
      ...{ event: 'outbox.delivery_failed', lane: this.name },
      error: errorName(fault),
    })
    const now = this.#actions.now()
    const wait = Math.min(MAX_AFTER_FAULT_MS, AFTER_FAULT_MS * 2 ** Math.min(this.failures, 10))
    const { item } = this
    const faults = item === undefined || isRetryable(fault) ? this.faults : addFault(this.faults, item, 'errors', now)
    try {
      await this.waitUntil({ at: now + wait, failures: this.failures + 1, faults })
    } catch (error) {
      // Another invocation has the lane, and has read all that was committed before this one.
      if (!isAgentError(error, 'store.conflict')) throw fault
    }
  }

  async #release(writes: TableWrite[]): Promise<void> {
    await this.write(writes)
    this.released = true
  }

  /** Returns the indexes of the writes whose condition failed: then nothing was written. */
  async #transact(writes: TableWrite[]): Promise<number[]> {
    for (let conflicts = 0; ; conflicts++) {
      const result = await this.#actions.transact(writes)
      if (result.written) return []
      if (result.failed.length > 0) return result.failed
      if (conflicts === MAX_CONFLICTS)
        throw new AgentError('store.unavailable', 'other transactions keep the lane from being written')
      await pauseBefore(this.#actions, conflicts)
    }
  }

  /** Removes the lane's entry from the waiting list, if it is still there. */
  #entryRemovals(): TableWrite[] {
    const { waiting, waitsFor } = this.leased
    return this.#inList && waiting !== undefined && waitsFor !== undefined ? [entryRemoval(waitsFor, waiting)] : []
  }
}

const overtaken = (): AgentError => new AgentError('store.conflict', 'the lane has another holder')
