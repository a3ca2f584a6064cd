/** Checks of a credential format: a request and a credential must match the offer. */
import { CredoError } from '@credo-ts/core'
import { AgentError } from '../../errors.ts'

export const NOT_OFFERED = 'the request does not match the offer'

/** A format service that can check whether a request matches the offer. */
export interface CheckedFormat {
  formatKey: string
  isAsOffered(offer: unknown, request: unknown): boolean
}

/** A request or credential that does not match the offer. The exchange is abandoned and the message is not stored. */
export class NotAsOfferedError extends CredoError {}

/** A credential whose issuance date is in the future: until then it cannot be verified. */
export class NotYetIssuedError extends AgentError {
  /** In ms. */
  readonly wait: number

  /** `date`: in ms since the epoch. */
  constructor(date: number) {
    const wait = date - Date.now()
    const message = `the credential cannot be verified before it is issued, at ${new Date(date).toISOString()}`
    super('exchange.out_of_turn', message, { retryAfter: Math.ceil(wait / 1000) })
    this.wait = wait
  }
}
