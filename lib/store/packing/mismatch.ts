/** The error of a field whose attribute has another form. */

/** An attribute does not match its field. `path`: dotted path within the field. */
export class MismatchError extends Error {
  readonly path: string

  constructor(expected: string, path = '') {
    super(`expected ${expected}`)
    this.path = path
  }
}
