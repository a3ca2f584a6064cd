/** Worlds of deliveries: table, queues, receivers and running processes as a value, which a walk through all orders copies and continues. */
import { hash } from 'node:crypto'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { AgentError } from '../../../lib/errors.ts'
import { type Destination, destinationItem, updateOf } from '../../../lib/outbox/destinations/destination.ts'
import { type Entry, entryRemoval } from '../../../lib/outbox/destinations/waiting-list.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { MESSAGE_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'
import { destinationAt, type OutboxItem, outboxItem } from '../../../lib/outbox/messages/message-item.ts'
import { destinationAddress, laneAddress, originOf } from '../../../lib/outbox/wake-ups/keys.ts'
import { deduplicationId, isForLane, type WakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import type { TableWrite } from '../../../lib/store/write.ts'
import { type Asks, Process, Thrown } from './replay.ts'
import { Rows } from './rows.ts'

const MINUTE = 60_000
const VISIBILITY = 3 * MINUTE
const DEDUPLICATED_FOR = 5 * MINUTE
const REMEMBERED = 3_000
/** How long an attempt takes. */
const ATTEMPT = 1_000
/** Longer than a lease and the next sweep, shorter than the visibility timeout. */
const STALL = 2 * MINUTE
/** No world needs more time, or more steps. */
const START = 1_800_000_000_000
const MAX_TIME = 48 * 60 * MINUTE
const MAX_STEPS = 10_000

type Queue = 'fast' | 'slow' | 'timer'

interface Message {
  wakeUp: WakeUp
  queue: Queue
  /** When it can be received. All times are ms since the epoch. */
  at: number
  repeated: boolean
}

const prints = new WeakMap<Message, string>()

const printOf = (message: Message): string => {
  const print = prints.get(message) ?? JSON.stringify(message)
  prints.set(message, print)
  return print
}

export interface Attempted {
  lane: string
  id: string
}

/** Items such as `a 1`: the first one of lane a. */
export const itemsOf = (names: readonly string[]): Attempted[] =>
  names.map((name) => ({ lane: `acme|ConnectionRecord|${name.split(' ')[0]}`, id: name.replace(' ', '') }))

const ACCEPTED: PostOutcome = { headers: {}, body: '', milliseconds: 20, status: 200 }

/** Deliveries at the same time. */
const MAX_PROCESSES = 2

/** The response of a queue that rejects everything: it is not an error. */
const REFUSED: Record<string, unknown> = { wakeLanes: [false], wakeLater: undefined }

/** A process that handles a message. */
interface Running {
  process: Process
  message: Message
  attempting?: Attempted
  outcome?: PostOutcome
  /** It is suspended until then, or until another process has its lease. */
  stallsUntil?: number
}

export const ORIGIN = 'https://wallet.example'

export class World extends Rows {
  now = START
  messages: readonly Message[] = []
  processes: readonly Running[] = []
  /** Ids that FIFO queues have seen. */
  seen = new Map<string, number>()
  /** Destinations as they were read. */
  known = new Map<string, { read: Destination; until: number }>()
  /** Items to commit at any time, in the order of their lane. */
  commits: readonly Attempted[] = []
  committed: readonly string[] = []
  /** The responses of the receivers, one for each attempt; afterwards they accept everything. */
  outcomes: readonly PostOutcome[] = []
  /** The attempts that they have accepted, and all attempts. */
  taken: readonly Attempted[] = []
  attempts: readonly Attempted[] = []
  /** When the first item of a lane that has failed may be tried again. */
  planned = new Map<string, number>()
  /** How often messages were received. */
  received = new Map<string, number>()
  /** Number of crashes, errors and repetitions. */
  troubles = 0
  steps = 0
  created = 0
  broken: string | undefined

  copy(): World {
    const copy = Object.assign(new World(), this)
    copy.rows = new Map(this.rows)
    copy.seen = new Map(this.seen)
    copy.known = new Map(this.known)
    copy.planned = new Map(this.planned)
    copy.received = new Map(this.received)
    return copy
  }

  /** A key that is equal for worlds with the same future. */
  print(): string {
    const rows = [...this.rows.values()].map(({ print }) => print).sort()
    const processes = this.processes.map(
      ({ process, outcome, stallsUntil }) => `${process.history} ${outcome?.status ?? outcome?.failure} ${stallsUntil}`,
    )
    const { now, messages, seen, known, commits, outcomes, taken, attempts, troubles } = this
    const remembered = [...known].flatMap(([name, { read, until }]) =>
      until > now ? [`${name} ${read.version} ${until}`] : [],
    )
    const numbers = [now, commits.length, outcomes.length, attempts.length, troubles]
    const lists = [rows, processes.sort(), messages.map(printOf).sort(), [...seen].sort(), remembered.sort()]
    return hash('sha1', `${numbers}\n${lists.join('\n')}\n${taken.map(({ id }) => id)}`)
  }

  override transact(writes: readonly TableWrite[], holder?: string) {
    const leases = this.items.flatMap(({ lane, lease }) => (lane?.S && lease?.S ? [[lane.S, lease.S] as const] : []))
    const result = super.transact(writes)
    for (const [lane, lease] of leases)
      if (lease !== holder && this.get(laneAddress(lane))?.lease?.S !== lease)
        this.broken ??= 'a lease is released by another than its holder'
    this.#plan()
    return result
  }

  #plan(): void {
    for (const item of this.items) {
      if (!laneItem.is(item)) continue
      const { lane, lease, waiting, failures = 0, dueAt = 0, faults } = laneItem.decode(item)
      if (faults !== undefined && faults.errors > 0) this.broken ??= 'an internal error'
      const first = this.in(`${lane} `)[0]?.sk?.S
      if (lease === undefined && waiting === undefined && failures > 0 && first !== undefined)
        this.planned.set(first, dueAt)
    }
  }

  destination(destination: string): Destination {
    const item = this.get(destinationAddress(destination))
    const read = item === undefined ? { destination, version: 0 } : destinationItem.decode(item)
    this.known.set(destination, { read, until: this.now + REMEMBERED })
    return read
  }

  recentDestination(destination: string): Destination {
    const recent = this.known.get(destination)
    return recent !== undefined && this.now < recent.until ? recent.read : this.destination(destination)
  }

  // The queues.

  send(wakeUp: WakeUp, queue: Queue, at = this.now, id = deduplicationId(wakeUp)): void {
    if (queue !== 'timer') {
      if (this.now - (this.seen.get(id) ?? 0) < DEDUPLICATED_FOR) return
      this.seen.set(id, this.now)
    }
    this.messages = [...this.messages, { wakeUp, queue, at, repeated: false }]
  }

  commit(): void {
    const [next, ...rest] = this.commits
    if (next === undefined) return
    this.commits = rest
    this.committed = [...this.committed, next.id]
    const [tenant = '', , connectionId = ''] = next.lane.split('|')
    const endpoint = `${ORIGIN}/`
    const first = this.in(`${next.lane} `).length === 0 && {
      first: { id: next.id, destination: destinationAt(endpoint) },
    }
    this.put(
      outboxItem.encode({
        ...{ tenant, connectionId, id: next.id, taken: 0, attempts: 0 },
        messages: [{ endpoint, payload: next.id }],
        createdAt: new Date(this.created || this.now).toISOString(),
      }),
    )
    this.send({ lane: next.lane, reason: { kind: 'committed', ...first } }, 'fast', this.now, `${next.lane} ${next.id}`)
  }

  /** Of two items that wait in a lane. A later one is first only if it was tried first. */
  comesBefore(one: string, other: string): boolean {
    return one < other && (this.planned.has(one) || this.committed.indexOf(one) < this.committed.indexOf(other))
  }

  // The possible next steps.

  /** All steps that are possible now; none if only time can pass. `left`: remaining number of crashes and errors. */
  choices(left: number): World[] {
    return [
      ...this.processes.flatMap((process) => this.#goesOn(process, left)),
      ...this.messages.flatMap((message, index) => this.#arrives(message, index, left)),
      ...(this.commits.length === 0 ? [] : [this.#with((world) => world.commit())]),
    ]
  }

  #with(change: (world: World) => void, troubles = 0): World {
    const world = this.copy()
    world.troubles += troubles
    world.steps += 1
    change(world)
    if (world.steps > MAX_STEPS || world.now > START + MAX_TIME) world.broken ??= 'it never ends'
    return world
  }

  #arrives(message: Message, index: number, left: number): World[] {
    if (message.at > this.now || this.processes.length === MAX_PROCESSES) return []
    const receive = (world: World, rest: Message[]) => {
      world.messages = rest
      world.#receive(message)
    }
    const once = this.#with((world) => receive(world, this.messages.toSpliced(index, 1)))
    if (left === 0) return [once]
    const again = { ...message, repeated: true }
    return [once, this.#with((world) => receive(world, this.messages.with(index, again)), 1)]
  }

  #receive(message: Message): void {
    const { wakeUp, queue, repeated } = message
    if (queue === 'timer' && isForLane(wakeUp)) {
      this.send(wakeUp, 'fast')
      return
    }
    const body = JSON.stringify(wakeUp)
    const received = (this.received.get(body) ?? 0) + 1
    this.received.set(body, received)
    const name = hash('sha1', `${received} ${body}`)
    const start = { name, wakeUp, queue: queue === 'slow' ? queue : 'fast', repeated, now: this.now } as const
    this.processes = [...this.processes, { process: new Process(start), message }]
  }

  /** Continues all processes to their next request, or to their end. */
  async settle(): Promise<void> {
    for (const running of this.processes) {
      const next = await running.process.next()
      if ('wrong' in next) this.broken ??= next.wrong
      else if ('ended' in next && next.failed) this.#dies(running)
      else if ('ended' in next) this.processes = this.#besides(running)
    }
  }

  #besides({ process: { start } }: Running): Running[] {
    return this.processes.filter(({ process }) => process.start.name !== start.name)
  }

  /**
   * A process does what comes next; or it ends before or after that, or the request fails before or after it did its
   * work. Before it writes it may also stand still for so long that another one takes over its lane.
   */
  #goesOn(running: Running, left: number): World[] {
    if (this.#stalls(running)) return []
    const goesOn = this.#with((world) => world.#does(running))
    if (left === 0) return [goesOn]
    return [
      goesOn,
      this.#with((world) => world.#dies(running), 1),
      this.#with((world) => {
        world.#does(running)
        world.#dies(running)
      }, 1),
      this.#with((world) => world.#fails(running), 1),
      this.#with((world) => {
        world.#does(running, true)
      }, 1),
      ...(running.process.ask.does === 'transact' ? [this.#with((world) => world.#stall(running), 1)] : []),
    ]
  }

  #stall(running: Running): void {
    this.processes = [...this.#besides(running), { ...running, stallsUntil: this.now + STALL }]
  }

  #stalls({ process: { start }, stallsUntil = 0 }: Running): boolean {
    const { wakeUp, name } = start
    const holder = isForLane(wakeUp) ? this.get(laneAddress(wakeUp.lane))?.lease?.S : undefined
    return stallsUntil > this.now && holder === name
  }

  #dies(running: Running): void {
    const { message } = running
    this.processes = this.#besides(running)
    // Its message may be deleted by its end: that makes no difference, because a message may be repeated anyway.
    if (!this.messages.some((one) => one.wakeUp === message.wakeUp))
      this.messages = [...this.messages, { ...message, at: this.now + VISIBILITY, repeated: true }]
  }

  #fails(running: Running): void {
    const { does } = running.process.ask
    if (does in REFUSED) this.#told(running, REFUSED[does])
    else if (does === 'send') this.#dies(running)
    else this.#fault(running)
  }

  #fault(running: Running): void {
    this.#told(running, new Thrown(new AgentError('store.unavailable', 'a fault')))
  }

  #told(running: Running, result: unknown): void {
    const { process, message } = running
    this.processes = [...this.#besides(running), { message, process: process.told(result, this.now) }]
  }

  /** `lost`: it has its effect, and its response is lost. */
  #does(running: Running, lost = false): void {
    const { does, args } = running.process.ask
    if (does === 'send' && running.attempting === undefined) {
      this.#begin(running, args as Parameters<Asks['send']>)
      return
    }
    const act = this.#actions(running)[does] as (...some: readonly unknown[]) => unknown
    const result = act(...args)
    if (lost && does !== 'send' && !(does in REFUSED)) this.#fault(running)
    else this.#told(running, result)
  }

  #begin(running: Running, [lane, item]: Parameters<Asks['send']>): void {
    const { item: sent } = item as { item: OutboxItem }
    const { id } = sent
    const destination = destinationAt(sent.messages[0]?.endpoint)
    const { wakeUp } = running.message
    const attempting = { lane, id }
    const closed = [originOf(destination), destination]
      .map((one) => this.get(destinationAddress(one)))
      .map((one) => one && destinationItem.decode(one).closedAt)
      .find((at) => at !== undefined && at < this.now - REMEMBERED)
    const isProbe = isForLane(wakeUp) && wakeUp.reason.kind === 'probe'
    if (this.processes.some((one) => one.attempting?.lane === lane)) this.broken ??= 'two attempts at a time'
    if (this.in(`${lane} `).some(({ sk }) => this.comesBefore(sk?.S ?? '', id)))
      this.broken ??= 'an attempt out of order'
    if ((this.planned.get(id) ?? 0) > this.now) this.broken ??= 'an attempt before its time'
    if (closed !== undefined && !isProbe) this.broken ??= 'an attempt at a closed destination'
    const [outcome = ACCEPTED, ...rest] = this.outcomes
    this.outcomes = rest
    if (this.troubles === 0 && this.planned.has(`over ${id}`)) this.broken ??= 'an attempt after the last one'
    const isLast = outcome.status !== 200 && this.now >= this.created + MESSAGE_PLAN.lifetime
    if (isLast) this.planned.set(`over ${id}`, this.now)
    this.attempts = [...this.attempts, attempting]
    if (outcome.status === 200) this.taken = [...this.taken, attempting]
    this.processes = [...this.#besides(running), { ...running, attempting, outcome }]
  }

  /** The actions of a process, without waiting. */
  #actions({ process, outcome = ACCEPTED }: Running): { [K in keyof Asks]: (...args: Parameters<Asks[K]>) => unknown } {
    return {
      update: (update) => this.update(update),
      put: (item) => this.put(item),
      get: (address) => this.get(address),
      transact: (writes) => this.transact(writes, process.start.name),
      read: (lane, first) => {
        const all = this.in(`${lane} `).map((item) => outboxItem.decode(item))
        const begun = all.filter(({ id }) => id === first?.id)
        const items = (begun.length > 0 ? begun : all).map((item) => ({ item, index: 0 }))
        return { items, more: false, corrupt: [] }
      },
      send: () => {
        this.now += ATTEMPT
        return outcome
      },
      target: (destination) => {
        const origin = this.recentDestination(originOf(destination))
        return { origin, address: this.recentDestination(destination) }
      },
      destination: (destination) => this.destination(destination),
      recentDestination: (destination) => this.recentDestination(destination),
      change: (read, change, now) => {
        const { written } = this.update(updateOf(read, change, now))
        this.known.delete(read.destination)
        return written && this.destination(read.destination)
      },
      someEntries: (destination, _, until) => this.#entries(destination, until),
      entriesOfRandomShard: (destination) => this.#entries(destination),
      removeEntries: (destination, entries) => {
        for (const entry of entries) this.transact([entryRemoval(destination, entry)])
      },
      wakeLanes: (wakeUps, bulkhead) => {
        for (const wakeUp of wakeUps) this.send(wakeUp, bulkhead === 'fast' ? 'fast' : 'slow')
        return wakeUps.map(() => true)
      },
      wakeLater: (wakeUp, delay) => {
        const seconds = Math.max(0, Math.ceil(delay / 1000))
        if (seconds <= 60) this.send(wakeUp, 'timer', this.now + seconds * 1000)
      },
    }
  }

  #entries(destination: string, until = Number.POSITIVE_INFINITY): Entry[] {
    return this.in(`${destinationAddress(destination).pk}|waiting|`).flatMap(({ lane, entry, since }) => {
      const one = { lane: lane?.S ?? '', entry: entry?.S ?? '', since: Number(since?.N) }
      return Number(one.entry.split('|')[1]) <= until ? [one] : []
    })
  }

  /** Time passes until a message can be received, or an entry is due. False if there is none. */
  passes(): boolean {
    const due = this.items.filter(({ dueAt }) => dueAt?.N !== undefined)
    const sweeps = due.map(({ dueAt }) => Math.ceil(Math.max(Number(dueAt?.N), this.now + 1) / MINUTE) * MINUTE)
    const stalls = this.processes.map(({ stallsUntil = 0 }) => stallsUntil)
    const next = Math.min(...this.messages.map(({ at }) => at), ...stalls, ...sweeps)
    if (!Number.isFinite(next)) return false
    this.now = Math.max(this.now, next)
    if (!sweeps.includes(next)) return true
    for (const { kind, lane, destination, dueAt } of due) {
      const at = Number(dueAt?.N)
      if (at > this.now) continue
      if (kind?.S === 'lane') this.send({ lane: lane?.S ?? '', reason: { kind: 'due', at } }, 'fast')
      else this.send({ destination: destination?.S ?? '', at }, 'timer')
    }
    return true
  }
}
