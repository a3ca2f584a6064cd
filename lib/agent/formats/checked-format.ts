/** What a credential format checks: a request and a credential have to match the offer. */
import { CredoError } from '@credo-ts/core'

export const NOT_OFFERED = 'the request is not for what was offered'

/** A format service that can check whether a request matches the offer. */
export interface CheckedFormat {
  formatKey: string
  isAsOffered(offer: unknown, request: unknown): boolean
}

/** A request or credential that does not match the offer. The exchange is abandoned and the message is not stored. */
export class NotAsOfferedError extends CredoError {}
