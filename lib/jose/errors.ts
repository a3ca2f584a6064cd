/** The error of this folder, whose message a tenant may read. */

/** What is wrong with a JWT, a JWE or a key: a clause without anything that the other party wrote. */
export class JoseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JoseError'
  }
}
