/** A clock of discrete events: time passes only while nothing is under way for real. */
import { setImmediate as immediate } from 'node:timers/promises'

interface Event {
  at: number
  order: number
  act: () => void
}

export class VirtualClock {
  #now: number
  /** Events that are this close (ms) happen together: fewer pauses for the table, which then gets concurrent requests. */
  readonly #tick: number
  /** A binary heap, the next event first. */
  readonly #events: Event[] = []
  #order = 0
  #underWay = 0
  /** The last requested change, the reads since then, and the request that completes before. */
  #change: Promise<unknown> = Promise.resolve()
  #reads: Promise<unknown>[] = []
  #before: Promise<unknown> = Promise.resolve()
  /** Called when nothing is under way any more. */
  #onStill: () => void = () => undefined

  constructor(now: number, tick = 1) {
    this.#now = now
    this.#tick = tick
  }

  /** Ms since the epoch. */
  now = (): number => this.#now

  sleep = (ms: number): Promise<void> => new Promise((resolve) => this.at(this.#now + ms, resolve))

  /** Calls `act` at a time; immediately if that has passed. */
  at(time: number, act: () => void): void {
    // Whole ms, as `Date.now()` has them: the service stores times, and treats a fraction as a corrupt item.
    const event = { at: Math.max(Math.ceil(time), this.#now), order: this.#order++, act }
    let index = this.#events.push(event) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = this.#events[parent]
      if (above === undefined || !isBefore(event, above)) break
      this.#events[index] = above
      index = parent
    }
    this.#events[index] = event
  }

  /** Calls `act` after some ms, unless what it returns is called before. */
  after(ms: number, act: () => void): () => void {
    let cancelled = false
    this.at(this.#now + ms, () => {
      if (!cancelled) act()
    })
    return () => {
      cancelled = true
    }
  }

  /**
   * Waits for something real, such as the answer of the table. Time stands still until then. Changes happen one after
   * the other, reads side by side between two of them, and all end in the order of the requests: so a simulation is the
   * same each time, however busy the machine is.
   */
  async real<T>(work: () => Promise<T>, does: 'read' | 'change' = 'change'): Promise<T> {
    this.#underWay += 1
    const ready = does === 'read' ? this.#change : Promise.all([this.#change, ...this.#reads])
    const result = ready.then(work)
    const settled = result.catch(() => undefined)
    if (does === 'read') this.#reads.push(settled)
    else [this.#change, this.#reads] = [settled, []]
    const before = this.#before
    // The responses are not stored: there are millions.
    this.#before = Promise.all([before, settled]).then(() => undefined)
    try {
      await before
      return await result
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) this.#onStill()
    }
  }

  /** Lets time pass until `done` returns true, or nothing is left to happen. */
  async run(done: () => boolean): Promise<void> {
    for (;;) {
      await this.#still()
      if (done()) return
      const first = this.#take()
      if (first === undefined) return
      const until = first.at + this.#tick
      for (let event: Event | undefined = first; event !== undefined; event = this.#takeBefore(until)) {
        this.#now = Math.max(this.#now, event.at)
        event.act()
      }
    }
  }

  /** Waits until nothing is under way, and nothing follows from that. */
  async #still(): Promise<void> {
    do {
      if (this.#underWay > 0)
        await new Promise<void>((resolve) => {
          this.#onStill = resolve
        })
      await immediate()
    } while (this.#underWay > 0)
  }

  #takeBefore(time: number): Event | undefined {
    const [first] = this.#events
    return first !== undefined && first.at < time ? this.#take() : undefined
  }

  #take(): Event | undefined {
    const [first] = this.#events
    const last = this.#events.pop()
    if (first === undefined || last === undefined || first === last) return first
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      const [a, b] = [this.#events[left], this.#events[left + 1]]
      const child = a !== undefined && b !== undefined && isBefore(b, a) ? left + 1 : left
      const below = this.#events[child]
      if (below === undefined || !isBefore(below, last)) break
      this.#events[index] = below
      index = child
    }
    this.#events[index] = last
    return first
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
