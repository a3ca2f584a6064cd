/** The errors of this folder, whose messages a tenant may read. */

/** An invalid JWT, JWE or key. The message quotes nothing of it. */
export class JoseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JoseError'
  }
}

/** The signature is valid, but the JWT is not valid at this time, or a time in it is not a number. */
export class JwtTimeError extends JoseError {}
