/** A lane that this invocation has leased: records the outcomes of its items, and releases the lane in one of several ways. */
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { type TableWrite, transact } from '../store/write.ts'
import { ensureDue, readDestination, recentDestination } from './destination.ts'
import { type LeasedLane, laneWrites } from './lane.ts'
import { addFault, isTooMany, type OwnFaults } from './own-faults.ts'
import { wakeLanes, wakeLater } from './queues.ts'
import { entryRemoval, entryWrite, newEntry } from './waiting-list.ts'
import type { LaneWakeUp } from './wake-up.ts'

/** Maximum number of repetitions of a write that conflicts with another transaction. */
const MAX_CONFLICTS = 5

/** AWS stops a chain of functions that call each other through SQS after 16. Before that, the lane is left to the sweep. */
const MAX_HOPS = 12

/** A lane that was handed over is due after this time (ms), in case its wake-up is lost. */
const HANDED_OVER_MS = 15 * 60_000

export interface HolderSurroundings {
  /** Ms since the epoch, and a number in [0, 1). */
  clock: () => number
  random: () => number
  /** A unique id. */
  newId: () => string
  /** Waits for some ms. */
  pause: (ms: number) => Promise<unknown>
  /** The queue of the wake-up. In the fast one, only lanes of destinations that are known to be quick are delivered. */
  speed: 'fast' | 'slow'
}

/** All writes depend on the lease. They throw `store.conflict` if another invocation has it, and `store.unavailable`. */
export class HeldLane {
  readonly #lane: LeasedLane
  readonly #wakeUp: LaneWakeUp
  readonly #in: HolderSurroundings
  #ended = false
  /** Faults of our own at the item that is delivered now. */
  #faults: OwnFaults | undefined
  /** Whether the process of the last holder has ended. */
  #isLeft: boolean
  /** Whether the lane may still have an entry in a waiting list. The entry of a released lane is removed with its wake-up. */
  #inList: boolean

  constructor(lane: LeasedLane, wakeUp: LaneWakeUp, surroundings: HolderSurroundings) {
    this.#lane = lane
    this.#wakeUp = wakeUp
    this.#in = surroundings
    this.#faults = lane.faults
    this.#isLeft = (lane.leases ?? 1) > 1
    this.#inList = wakeUp.reason.kind === 'probe' || wakeUp.reason.kind === 'due'
  }

  get name(): string {
    return this.#lane.lane
  }

  /** Whether the lease was released. */
  get ended(): boolean {
    return this.#ended
  }

  /** Ends a lane in which nothing can be delivered. */
  remove(): Promise<void> {
    return this.#end([laneWrites.end(this.#lane)])
  }

  /**
   * Whether an item may be tried: our own code has not failed at it too often. Where it has failed, or the last holder's process has ended, that the
   * item is tried is recorded first.
   */
  async mayTry(item: string): Promise<boolean> {
    if (this.#faults === undefined && !this.#isLeft) return true
    const now = this.#in.clock()
    this.#faults = addFault(this.#faults, item, this.#isLeft ? 'ends' : undefined, now)
    this.#isLeft = false
    if (isTooMany(this.#faults, now)) return false
    const failed = await this.#write([laneWrites.tries(this.#lane, this.#faults)])
    if (failed.length > 0) throw lost()
    return true
  }

  /** The lane waits after a fault. `item`: the one at which our own code has failed. */
  waitAfterFault(at: number, failures: number, item: string | undefined): Promise<void> {
    const faults = item === undefined ? this.#faults : addFault(this.#faults, item, 'errors', this.#in.clock())
    return this.waitUntil(at, failures, [], faults)
  }

  /** The lane waits until `at` (ms since the epoch), with this number of failures of its first item. */
  async waitUntil(at: number, failures: number, writes: TableWrite[] = [], faults?: OwnFaults): Promise<void> {
    const now = this.#in.clock()
    await this.#end([...writes, laneWrites.wait(this.#lane, { at, failures, now, faults }), ...this.#leaveList()])
    await wakeLater({ lane: this.name, reason: { kind: 'due', at } }, at - this.#in.clock())
  }

  /** Records an item's outcome. With the last one the lane ends, unless an item was committed concurrently: then it is read again. */
  async finish(writes: TableWrite[], last: boolean): Promise<void> {
    if (last) {
      const failed = await this.#write([...writes, laneWrites.end(this.#lane), ...this.#leaveList()])
      if (failed.length === 0) {
        this.#ended = true
        return
      }
      if (failed.some((index) => index !== writes.length)) throw lost()
    }
    const go = last ? laneWrites.keepAndRead(this.#lane) : laneWrites.keep(this.#lane)
    const failed = await this.#write([...writes, go, ...this.#leaveList()])
    if (failed.length > 0) throw lost()
    this.#inList = false
    this.#faults = undefined
  }

  /** Removes the lane's entry from the waiting list, if it is still there. */
  #leaveList(): TableWrite[] {
    const { waiting, waitsFor } = this.#lane
    return this.#inList && waiting !== undefined && waitsFor !== undefined ? [entryRemoval(waitsFor, waiting)] : []
  }

  /** Makes the writes that release the lane. */
  async #end(writes: TableWrite[]): Promise<void> {
    const failed = await this.#write(writes)
    if (failed.length > 0) throw lost()
    this.#ended = true
  }

  /** Returns the indexes of the writes whose condition failed; none if all were written. */
  async #write(writes: TableWrite[]): Promise<number[]> {
    for (let conflicts = 0; ; conflicts++) {
      const result = await transact(writes)
      if (result.written) return []
      if (result.failed.length > 0) return result.failed
      if (conflicts === MAX_CONFLICTS)
        throw new AgentError('store.unavailable', 'other transactions keep the lane from being written')
      await this.#in.pause(this.#in.random() * 25 * 2 ** conflicts)
    }
  }

  /** The lane waits until its destination is open again, or has room. */
  async waitFor(destination: string, giveUpAt: number, writes: TableWrite[] = []): Promise<void> {
    const { lane } = this.#lane
    const now = this.#in.clock()
    // A lane that is still in the list gets an entry of another name, so that a repeated wake-up has nothing to do.
    const entry = newEntry(lane, giveUpAt, this.#in.newId())
    // Checked before the lane is in the list and after it, because an invocation that finds the list empty removes the destination from the index.
    if ((await recentDestination(destination, now)).dueAt === undefined) await ensureDue(destination, now)
    await this.#end([
      ...writes,
      laneWrites.waitForDestination(this.#lane, { entry, destination }),
      entryWrite(destination, { lane, entry, now }),
      ...this.#leaveList(),
    ])
    if ((await readDestination(destination, now)).dueAt === undefined) await ensureDue(destination, now)
  }

  /** Hands the lane over to the slow queue. */
  async handOver(probes: boolean): Promise<void> {
    const { lane, lease } = this.#lane
    const now = this.#in.clock()
    const { reason: woken } = this.#wakeUp
    const isProbe = probes && woken.kind === 'probe'
    const reason = isProbe ? { ...woken, at: now } : ({ kind: 'released', waiting: `slow|${lease}` } as const)
    const write = isProbe
      ? laneWrites.handOverProbe(this.#lane)
      : laneWrites.handOver(this.#lane, reason.waiting, now + HANDED_OVER_MS)
    await this.#end(isProbe ? [write] : [write, ...this.#leaveList()])
    const [taken] = await wakeLanes([{ lane, reason }], 'slow')
    if (taken === true) return
    log('warn', 'a lane was not handed over', { event: 'outbox.not_handed_over', lane })
    // The wake-up is received again, and tries this again. A probe needs no repetition, because another one follows.
    if (!isProbe) throw new AgentError('store.unavailable', 'the slow queue does not answer')
  }

  /** Ends the turn in favour of other lanes. The lane is due again at once. `quick`: whether its destination is known to be quick. */
  async yield(failures: number, quick: boolean): Promise<void> {
    const { lane } = this.#lane
    const at = this.#in.clock()
    await this.#end([laneWrites.wait(this.#lane, { at, failures, now: at })])
    const bulkhead = this.#in.speed === 'fast' ? 'fast' : quick ? 'released' : 'slow'
    const hops = (this.#wakeUp.hops ?? 0) + 1
    if (hops <= MAX_HOPS) await wakeLanes([{ lane, reason: { kind: 'due', at }, hops }], bulkhead)
  }
}

/** The lease has expired during the turn, and another invocation has the lane. */
const lost = (): AgentError => new AgentError('store.conflict', 'the lane has another holder')
