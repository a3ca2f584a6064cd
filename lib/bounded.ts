/** A bounded cache: it drops its oldest entries when it is full, and every entry after a time. */
export class Bounded<K, V> {
  readonly #entries = new Map<K, { value: V; size: number; until: number }>()
  readonly #max: number
  readonly #milliseconds: number
  readonly #sizeOf: (value: V) => number
  #size = 0

  /**
   * Keeps up to `max` entries, each for `milliseconds` after it was set. With `termCountOf`, `max` is their total size, and
   * a larger entry is not kept.
   */
  constructor(max: number, milliseconds = Number.POSITIVE_INFINITY, sizeOf: (value: V) => number = () => 1) {
    this.#max = max
    this.#milliseconds = milliseconds
    this.#sizeOf = sizeOf
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && Date.now() < entry.until ? entry.value : undefined
  }

  /** Returns the value. */
  set(key: K, value: V): V {
    this.delete(key)
    const size = this.#sizeOf(value)
    if (size > this.#max) return value
    this.#entries.set(key, { value, size, until: Date.now() + this.#milliseconds })
    this.#size += size
    for (const [oldest] of this.#entries) {
      if (this.#size <= this.#max) break
      this.delete(oldest)
    }
    return value
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#size -= entry.size
    this.#entries.delete(key)
  }
}
