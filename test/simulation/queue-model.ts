/** SQS as AWS documents it and no emulator shows it: what a FIFO queue scans and holds in flight, deduplication, delays, duplicates. */
import type { VirtualClock } from './virtual-clock.ts'

export interface Sent {
  MessageBody: string
  MessageGroupId?: string
  MessageDeduplicationId?: string
  DelaySeconds?: number
}

export interface QueueMessage {
  body: string
  group: string
  receives: number
  /** From its arrival to its first receipt, in ms. */
  queuedFor: number
  /** How often each function stands in the chain of invocations that sent it (AWSTraceHeader). */
  chain: Readonly<Record<string, number>>
}

interface Held extends QueueMessage {
  /** When it came, in ms since the epoch. */
  since: number
  deleted: boolean
  inFlight: boolean
}

export interface QueueRules {
  fifo: boolean
  visibilityMs: number
  maxReceives: number
  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html: FIFO queues, in flight and scanned. */
  window: number
  /** How often a message of a standard queue is delivered twice, in [0, 1). */
  duplicates: number
  random: () => number
}

const DEDUPLICATED_FOR = 5 * 60_000
const MAX_DELAY_SECONDS = 15 * 60
const MAX_BYTES = 1024 * 1024

export class QueueModel {
  readonly dead: QueueMessage[] = []
  /** The most messages that it ever had. */
  peak = 0
  /** The maximum number of messages behind the scanned window. */
  peakUnseen = 0
  sent = 0
  onReady: () => void = () => undefined
  readonly #clock: VirtualClock
  readonly #rules: QueueRules
  readonly #seen = new Map<string, number>()
  /** Messages that are looked at, by group; the first of a group blocks the others from its receipt until it is deleted. */
  readonly #groups = new Map<string, Held[]>()
  readonly #ready: Held[] = []
  #readyFrom = 0
  #scanned = 0
  #inFlight = 0
  readonly #unseen: Held[] = []
  #unseenFrom = 0
  #groupless = 0

  constructor(clock: VirtualClock, rules: QueueRules) {
    this.#clock = clock
    this.#rules = rules
  }

  get size(): number {
    return this.#scanned + this.#unseen.length - this.#unseenFrom
  }

  /** Of the message that has been here for longest, in ms; 0 of none. */
  get oldestAge(): number {
    const now = this.#clock.now()
    return Math.max(0, ...[...this.#groups.values()].map(([first]) => now - (first?.since ?? now)))
  }

  send(entry: Sent, chain: QueueMessage['chain']): void {
    const { fifo } = this.#rules
    const { MessageBody: body, MessageGroupId, MessageDeduplicationId: id, DelaySeconds = 0 } = entry
    if (Buffer.byteLength(body) > MAX_BYTES) throw new Error('a message is too long')
    if (fifo !== (MessageGroupId !== undefined && id !== undefined))
      throw new Error('a FIFO queue asks for group and id')
    if (DelaySeconds > MAX_DELAY_SECONDS || (fifo && DelaySeconds > 0)) throw new Error('no such delay')
    this.sent += 1
    if (id !== undefined && !this.#isNew(id)) return
    const group = MessageGroupId ?? ''
    const enter = (into: string) =>
      this.#enter({
        body,
        group: into,
        receives: 0,
        queuedFor: 0,
        chain,
        since: this.#clock.now(),
        deleted: false,
        inFlight: false,
      })
    if (fifo) enter(group)
    else this.#enterLater(enter, DelaySeconds * 1000)
  }

  #enterLater(enter: (group: string) => void, delay: number): void {
    const { duplicates, random } = this.#rules
    const at = this.#clock.now() + delay
    this.#clock.at(at, () => enter(`${this.#groupless++}`))
    if (random() < duplicates) this.#clock.at(at + random() * 30_000, () => enter(`${this.#groupless++}`))
  }

  /** The next message, and what deletes it; undefined where none can be received. */
  receive(): { message: QueueMessage; remove: () => void } | undefined {
    for (;;) {
      if (this.#inFlight >= this.#rules.window) return undefined
      const held = this.#ready[this.#readyFrom]
      if (held === undefined) return undefined
      this.#readyFrom += 1
      if (this.#readyFrom > 1000 && this.#readyFrom * 2 > this.#ready.length) {
        this.#ready.splice(0, this.#readyFrom)
        this.#readyFrom = 0
      }
      if (held.deleted || held.inFlight) continue
      held.receives += 1
      if (held.receives === 1) held.queuedFor = this.#clock.now() - held.since
      if (held.receives > this.#rules.maxReceives) {
        this.dead.push(held)
        this.#remove(held)
        continue
      }
      this.#setInFlight(held, true)
      const { receives } = held
      this.#clock.at(this.#clock.now() + this.#rules.visibilityMs, () => {
        if (held.deleted || !held.inFlight || held.receives !== receives) return
        this.#setInFlight(held, false)
        this.#becomesReady(held)
      })
      return { message: held, remove: () => this.#remove(held) }
    }
  }

  #isNew(id: string): boolean {
    const now = this.#clock.now()
    for (const [old, at] of this.#seen) {
      if (now - at < DEDUPLICATED_FOR) break
      this.#seen.delete(old)
    }
    if (this.#seen.has(id)) return false
    this.#seen.set(id, now)
    return true
  }

  #enter(held: Held): void {
    if (this.#scanned < this.#rules.window) this.#scan(held)
    else this.#unseen.push(held)
    this.peak = Math.max(this.peak, this.size)
    this.peakUnseen = Math.max(this.peakUnseen, this.#unseen.length - this.#unseenFrom)
  }

  #scan(held: Held): void {
    this.#scanned += 1
    const group = this.#groups.get(held.group)
    if (group !== undefined) {
      group.push(held)
      return
    }
    this.#groups.set(held.group, [held])
    this.#becomesReady(held)
  }

  #becomesReady(held: Held): void {
    this.#ready.push(held)
    this.onReady()
  }

  #setInFlight(held: Held, inFlight: boolean): void {
    if (held.inFlight === inFlight) return
    held.inFlight = inFlight
    this.#inFlight += inFlight ? 1 : -1
  }

  #remove(held: Held): void {
    if (held.deleted) return
    held.deleted = true
    this.#setInFlight(held, false)
    this.#scanned -= 1
    const group = this.#groups.get(held.group) ?? []
    group.shift()
    const [next] = group
    if (next === undefined) this.#groups.delete(held.group)
    else this.#becomesReady(next)
    const unseen = this.#unseen[this.#unseenFrom]
    if (unseen === undefined) return
    this.#unseenFrom += 1
    if (this.#unseenFrom > 1000 && this.#unseenFrom * 2 > this.#unseen.length) {
      this.#unseen.splice(0, this.#unseenFrom)
      this.#unseenFrom = 0
    }
    this.#scan(unseen)
  }
}
