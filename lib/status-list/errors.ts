/** The error of this folder. */

/** A status that cannot be read, and so is not valid: `unreadable: ` and a reason that the tenant may read. */
export class StatusListError extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(`unreadable: ${reason}`)
    this.name = 'StatusListError'
    this.reason = reason
  }
}
