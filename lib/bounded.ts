/** A map that forgets: its oldest entry when it is full, and every entry after a time. For what may be read again. */
export class Bounded<K, V> {
  readonly #entries = new Map<K, { value: V; until: number }>()
  readonly #most: number
  readonly #milliseconds: number

  /** Holds `most` entries, each for so many milliseconds after it was set. */
  constructor(most: number, milliseconds = Number.POSITIVE_INFINITY) {
    this.#most = most
    this.#milliseconds = milliseconds
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && Date.now() < entry.until ? entry.value : undefined
  }

  /** Returns the value. */
  set(key: K, value: V): V {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: Date.now() + this.#milliseconds })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest)
    return value
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
