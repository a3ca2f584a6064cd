/** A map whose keys are in order. */

/** Binary search: the index of the first key for which `isAtLeast` is true. It is true for all later keys, too. */
const first = <T>(keys: readonly T[], isAtLeast: (key: T) => boolean): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const key = keys[middle]
    if (key !== undefined && !isAtLeast(key)) low = middle + 1
    else high = middle
  }
  return low
}

export class Sorted<V> {
  readonly #keys: string[] = []
  readonly #values = new Map<string, V>()

  get size(): number {
    return this.#keys.length
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key))
      this.#keys.splice(
        first(this.#keys, (one) => one >= key),
        0,
        key,
      )
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return
    this.#keys.splice(
      first(this.#keys, (one) => one >= key),
      1,
    )
  }

  /** The values of the keys from `from` to `to`, both included, in either order, and only those that follow `after`. */
  *between(from: string, to: string, { descending = false, after }: { descending?: boolean; after?: string } = {}) {
    let low = first(this.#keys, (one) => one >= from)
    let high = first(this.#keys, (one) => one > to) - 1
    if (after !== undefined && descending) high = Math.min(high, first(this.#keys, (one) => one >= after) - 1)
    if (after !== undefined && !descending)
      low = Math.max(
        low,
        first(this.#keys, (one) => one > after),
      )
    for (let index = descending ? high : low; descending ? index >= low : index <= high; index += descending ? -1 : 1) {
      const value = this.#values.get(this.#keys[index] ?? '')
      if (value !== undefined) yield value
    }
  }
}
