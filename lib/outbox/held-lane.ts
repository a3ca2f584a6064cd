/** A lane that this invocation has leased: each way to give it back, and to record what came of its items. */
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { type TableWrite, transact } from '../store/write.ts'
import { ensureDue, readDestination, recentDestination } from './destination.ts'
import { type LeasedLane, laneWrites } from './lane.ts'
import { wakeLanes, wakeLater } from './queues.ts'
import { entryRemoval, entryWrite, newEntry } from './waiting-list.ts'
import type { LaneWakeUp } from './wake-up.ts'

/** How often a write is repeated that met another transaction. */
const MAX_CONFLICTS = 5

/** AWS ends a chain of functions that call each other by SQS after 16: before that the sweep goes on with the lane. */
const MAX_HOPS = 12

/** A lane that was handed over is due after this time (ms), should the wake-up be lost. */
const HANDED_OVER_MS = 15 * 60_000

export interface HolderSurroundings {
  /** Ms since the epoch, and a number in [0, 1). */
  clock: () => number
  random: () => number
  /** An id that nobody else has. */
  newId: () => string
  /** Waits for some ms. */
  pause: (ms: number) => Promise<unknown>
  /** Which queue the wake-up came from. In the fast one only lanes of destinations are delivered that are known to be quick. */
  speed: 'fast' | 'slow'
}

/** Its writes are on condition of the lease. They throw `store.conflict` where another invocation has it, and `store.unavailable`. */
export class HeldLane {
  readonly #lane: LeasedLane
  readonly #wakeUp: LaneWakeUp
  readonly #in: HolderSurroundings
  #ended = false
  /** The lane may still have an entry in a waiting list: a wake-up that releases it takes that out itself. */
  #inList: boolean

  constructor(lane: LeasedLane, wakeUp: LaneWakeUp, surroundings: HolderSurroundings) {
    this.#lane = lane
    this.#wakeUp = wakeUp
    this.#in = surroundings
    this.#inList = wakeUp.reason.kind === 'probe' || wakeUp.reason.kind === 'due'
  }

  get name(): string {
    return this.#lane.lane
  }

  /** The lease was given back. */
  get ended(): boolean {
    return this.#ended
  }

  /** Ends a lane that nothing can be delivered in. */
  remove(): Promise<void> {
    return this.end([laneWrites.end(this.#lane)])
  }

  /** The lane waits until `at` (ms since the epoch), with so many failures of its first item. */
  async waitUntil(at: number, failures: number, writes: TableWrite[] = []): Promise<void> {
    const now = this.#in.clock()
    await this.end([...writes, laneWrites.wait(this.#lane, { at, failures, now }), ...this.#leaveList()])
    await wakeLater({ lane: this.name, reason: { kind: 'due', at } }, at - this.#in.clock())
  }

  /** Records an item's outcome. With the last one the lane ends, unless something was committed meanwhile: then it is read again. */
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
  }

  /** Takes the lane's entry out of the waiting list, where the wake-up has left it there. */
  #leaveList(): TableWrite[] {
    const { waiting, waitsFor } = this.#lane
    return this.#inList && waiting !== undefined && waitsFor !== undefined ? [entryRemoval(waitsFor, waiting)] : []
  }

  /** Writes what ends the turn. */
  async end(writes: TableWrite[]): Promise<void> {
    const failed = await this.#write(writes)
    if (failed.length > 0) throw lost()
    this.#ended = true
  }

  /** Indexes of the writes whose condition did not hold; none where all are written. */
  async #write(writes: TableWrite[]): Promise<number[]> {
    for (let conflicts = 0; ; conflicts++) {
      const result = await transact(writes)
      if (result.written) return []
      if (result.failed.length > 0) return result.failed
      if (conflicts === MAX_CONFLICTS) throw lost()
      await this.#in.pause(this.#in.random() * 25 * 2 ** conflicts)
    }
  }

  /** The lane waits until its destination is open again, or has room. */
  async waitFor(destination: string, giveUpAt: number, writes: TableWrite[] = []): Promise<void> {
    const { lane } = this.#lane
    const now = this.#in.clock()
    // A lane that is in the list still gets an entry of another name: the repetition of its wake-up then has nothing to do.
    const entry = newEntry(lane, giveUpAt, this.#in.newId())
    // Before the lane is in the list and after it: whoever finds the list empty takes the destination out of the index.
    if ((await recentDestination(destination, now)).dueAt === undefined) await ensureDue(destination, now)
    await this.end([
      ...writes,
      laneWrites.waitForDestination(this.#lane, { entry, destination }),
      entryWrite(destination, { lane, entry, now }),
      ...this.#leaveList(),
    ])
    if ((await readDestination(destination, now)).dueAt === undefined) await ensureDue(destination, now)
  }

  /** Gives the lane to the slow queue. */
  async handOver(destination: string, probes: boolean): Promise<void> {
    const { lane, waiting, lease } = this.#lane
    const now = this.#in.clock()
    const isProbe = probes && waiting !== undefined
    const reason = isProbe
      ? ({ kind: 'probe', waiting, destination, at: now } as const)
      : ({ kind: 'released', waiting: `slow|${lease}` } as const)
    const write = isProbe
      ? laneWrites.handOverProbe(this.#lane)
      : laneWrites.handOver(this.#lane, reason.waiting, now + HANDED_OVER_MS)
    await this.end(isProbe ? [write] : [write, ...this.#leaveList()])
    const [taken] = await wakeLanes([{ lane, reason }], 'slow')
    if (taken === true) return
    log('warn', 'a lane was not handed over', { event: 'outbox.not_handed_over', lane })
    // The wake-up comes again, and tries this again. A probe needs no repetition: the next one is on its way.
    if (!isProbe) throw new AgentError('store.unavailable', 'the slow queue does not answer')
  }

  /** Others are to have their turn: the lane is due again at once. `quick`: its destination is. */
  async yield(failures: number, quick: boolean): Promise<void> {
    const { lane } = this.#lane
    const at = this.#in.clock()
    await this.end([laneWrites.wait(this.#lane, { at, failures, now: at })])
    const use = this.#in.speed === 'fast' ? 'fast' : quick ? 'released' : 'slow'
    const hops = (this.#wakeUp.hops ?? 0) + 1
    if (hops <= MAX_HOPS) await wakeLanes([{ lane, reason: { kind: 'due', at }, hops }], use)
  }
}

/** The lease was over before the turn was: another invocation has the lane. */
const lost = (): AgentError => new AgentError('store.conflict', 'the lane has another holder')
