/** A map that forgets its oldest entry when it is full: for what may be read again. */
export class Bounded<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  /** Returns the value. */
  set(key: K, value: V): V {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest)
    return value
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
