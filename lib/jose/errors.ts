/** The errors of this folder, whose messages a tenant may read. */

/** What is wrong with a JWT, a JWE or a key: a clause without anything that the other party wrote. */
export class JoseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JoseError'
  }
}

/** The signature is good, and the JWT is not valid at this time, or does not say so as a number. */
export class JwtTimeError extends JoseError {}
