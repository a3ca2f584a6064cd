/** A budget for what a stranger's document may cost: counted in units instead of time, so that the result is the same on every machine. */

/**
 * Units for all evaluations of one presentation. A visited value costs `VISIT` units, and matching a pattern its size for each character.
 * The slowest use of the whole budget takes about half a second of processor time.
 */
export const MAX_WORK = 20_000_000

/** Units for one value that a path or a filter looks at. */
export const VISIT = 10

/** Thrown when a budget is used up: whatever was being evaluated is not satisfied. */
export class WorkLimitError extends Error {
  constructor() {
    super('the evaluation takes too much work')
    this.name = 'WorkLimitError'
  }
}

export class Work {
  #left: number

  constructor(most = MAX_WORK) {
    this.#left = most
  }

  /** Throws `WorkLimitError` when less than `units` is left. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new WorkLimitError()
  }
}
