/**
 * The budget of an evaluation, because third parties write the documents. It is in units instead of time, so that
 * results are the same on every machine.
 */

/**
 * The budget of a presentation, in units. Matching a pattern costs its size for each character, another check of a text
 * one unit. The slowest evaluation of this budget takes about half a second of processor time.
 */
const MAX_WORK = 20_000_000

/** Units for a value that a path or a filter visits. */
export const VISIT = 10

/** The budget is used up. The evaluated constraint counts as not satisfied. */
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

  /** Throws `WorkLimitError` if fewer units are left. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new WorkLimitError()
  }
}
