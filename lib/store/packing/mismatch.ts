/** The error of an attribute that does not match its field. */

/** `expected`: what the field requires. `path`: dotted path within the field. */
export class MismatchError extends Error {
  readonly path: string

  constructor(expected: string, path = '') {
    super(`expected ${expected}`)
    this.path = path
  }
}
