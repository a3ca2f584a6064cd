/** A clock that a test moves, and what waits for it: hidden messages that come back when it says so. Days are milliseconds. */

export class VirtualTime {
  #now: number
  /** When hidden messages come back, by their receipt handles. */
  readonly #hidden = new Map<string, number>()

  constructor(now = Date.now()) {
    this.#now = now
  }

  /** Ms since the epoch. */
  now = (): number => this.#now

  /** Moves on by some ms. */
  pass(ms: number): void {
    this.#now += ms
  }

  hide(receiptHandles: string[], seconds: number): void {
    for (const handle of receiptHandles) this.#hidden.set(handle, this.#now + seconds * 1000)
  }

  /** Moves on to when the next hidden message comes back; false where none is hidden. */
  passToNext(): boolean {
    if (this.#hidden.size === 0) return false
    this.#now = Math.max(this.#now, Math.min(...this.#hidden.values()))
    return true
  }

  /** Receipt handles of what is hidden no more. */
  takeDue(): string[] {
    const due = [...this.#hidden].filter(([, at]) => at <= this.#now).map(([handle]) => handle)
    for (const handle of due) this.#hidden.delete(handle)
    return due
  }
}
