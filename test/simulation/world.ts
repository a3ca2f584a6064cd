/** One simulation: a table, a service, traffic of dead and healthy destinations, and a record of what arrived when. */

import { MemoryTable } from '../../infra/local/memory-table/memory-table.ts'
import { newOutboxId, timeOfId } from '../../lib/outbox/messages/outbox-id.ts'
import { LAYOUT_ITEM } from '../../lib/store/layout.ts'
import { seeded, seededIds } from './seeded.ts'
import { type Answer, type Receiver, Service, type ServiceOptions } from './service.ts'
import type { SimulatedEndpoint, Traffic } from './traffic.ts'
import { VirtualClock } from './virtual-clock.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** What a receiver sees. `elapsed`: ms from the start. */
export interface ReceivedAttempt {
  origin: string
  lane: string
  payload: string
  probe: boolean
  elapsed: number
}

interface Payload {
  lane: string
  number: number
  at: number
}

/** The kinds of items that may remain at the end, and the version of the layout. */
const HISTORY = new Set([
  'outbox-outcome',
  'record',
  'slot',
  'event',
  'attempt',
  'registration',
  'layout',
  'heartbeat',
  'heartbeat-received',
])

export class World {
  readonly table = new MemoryTable()
  readonly clock: VirtualClock
  readonly random: () => number
  readonly newId = seededIds(2)
  readonly service: Service
  readonly start: number
  /** Ms from commit to the start of the accepted POST, by origin. */
  readonly delays = new Map<string, { lane: string; delay: number; at: number }[]>()
  /** When a message was last accepted, by origin. */
  readonly lastTaken = new Map<string, number>()
  /** Faults of the service: a message that came out of order or twice. */
  readonly errors: string[] = []
  committed = 0
  acceptedCount = 0
  readonly #sent = new Map<string, number>()
  readonly #received = new Map<string, number>()

  constructor(
    options: Pick<ServiceOptions, 'fast' | 'slow' | 'window'> & Partial<ServiceOptions>,
    receivers: (attempt: ReceivedAttempt) => Answer,
    tick = 1,
  ) {
    // The clock of the ids never goes back in a process, so that of the next simulation starts after the last one; always on the hour.
    this.start = HOUR * Math.ceil((Math.max(timeOfId(newOutboxId(0)), Date.now()) + MINUTE) / HOUR)
    this.clock = new VirtualClock(this.start, tick)
    void this.table.putAll([LAYOUT_ITEM])
    this.random = seeded(1)
    const receive: Receiver = ({ lane, url, payload, probe, now }) => {
      const { origin } = new URL(url)
      const answer = receivers({ origin, lane, payload, probe, elapsed: now - this.start })
      if (answer.status !== undefined && answer.status < 300) this.#take(origin, lane, JSON.parse(payload), now)
      return answer
    }
    this.service = new Service({
      clock: this.clock,
      random: this.random,
      newId: this.newId,
      receive,
      table: this.table,
      ...options,
    })
  }

  get elapsed(): number {
    return this.clock.now() - this.start
  }

  /** Registers endpoints, before anything is sent to them. */
  async register(endpoints: readonly SimulatedEndpoint[]): Promise<void> {
    for (const { id, origin } of endpoints) this.service.endpoints.set(id, `${origin}/`)
    await this.table.putAll(endpoints.map(({ item }) => item))
  }

  /** Commits a message or an event in each of the lanes, and wakes them: for the last `wakeUps` of the items only, the others were lost. */
  async send(to: readonly Traffic[], wakeUps = to.length): Promise<void> {
    const now = this.clock.now()
    const sent = to.map((one) => {
      const before = this.#sent.get(one.lane) ?? 0
      const number = before + 1
      this.#sent.set(one.lane, number)
      const payload: Payload = { lane: one.lane, number, at: now }
      const firstTo = (this.#received.get(one.lane) ?? 0) === before ? one.destination : undefined
      return { items: one.items(JSON.stringify(payload), now, number), firstTo }
    })
    this.committed += sent.length
    await this.clock.real(() => this.table.putAll(sent.flatMap(({ items }) => items)))
    const woken = sent.slice(-wakeUps)
    this.service.commit(woken.flatMap(({ items }) => items))
    await this.service.wake(
      woken.flatMap(({ items, firstTo }) => {
        const item = items.at(-1)
        return item === undefined ? [] : [{ item, firstTo }]
      }),
    )
  }

  /** Sends to `to`, in turn, `count` messages that are spread evenly over the time between `from` and `until` (ms from the start). */
  traffic(to: readonly Traffic[], { count, from, until }: { count: number; from: number; until: number }): void {
    // At most ten thousand bursts: a burst is one event.
    const burst = Math.max(1, Math.ceil(count / 10_000))
    for (let sent = 0; sent < count; sent += burst) {
      const some = Array.from({ length: Math.min(burst, count - sent) }, (_, index) => to[(sent + index) % to.length])
      const at = this.start + from + ((until - from) * sent) / count
      this.clock.at(at, () => void this.send(some.filter((one) => one !== undefined)))
    }
  }

  /** Runs until `ms` from the start. */
  async runUntil(ms: number): Promise<void> {
    let over = false
    this.clock.at(this.start + ms, () => {
      over = true
    })
    await this.clock.run(() => over)
  }

  /** Runs until all committed messages were accepted, or for `ms` from the start. */
  async runUntilTaken(ms: number): Promise<void> {
    await this.clock.run(() => this.acceptedCount === this.committed || this.elapsed >= ms)
  }

  /** What waits in the table: items, lanes, lists, and destinations that are due. */
  leftovers(): Record<string, number> {
    const left: Record<string, number> = {}
    for (const { kind, dueAt } of this.table.items()) {
      const name = kind?.S ?? 'none'
      if (HISTORY.has(name)) continue
      if (name === 'destination' && dueAt === undefined) continue
      left[name] = (left[name] ?? 0) + 1
    }
    return left
  }

  /** Items that were given up. */
  givenUp(): number {
    return [...this.table.items()].filter(({ kind, state }) => kind?.S === 'outbox-outcome' || state?.S === 'failed')
      .length
  }

  #take(origin: string, lane: string, { number, at }: Payload, now: number): void {
    // Of an event about what this world has sent.
    if (!this.#sent.has(lane)) return
    const expected = (this.#received.get(lane) ?? 0) + 1
    if (number !== expected) this.errors.push(`${lane}: ${number} came in the place of ${expected}`)
    this.#received.set(lane, number)
    this.acceptedCount += 1
    this.lastTaken.set(origin, now)
    const delays = this.delays.get(origin) ?? []
    this.delays.set(origin, delays)
    delays.push({ lane, delay: now - at, at })
  }
}

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
