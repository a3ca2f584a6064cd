/** The error of this folder: which check of a presentation failed, and why. */
import { JoseError } from '../jose/errors.ts'

export type SdJwtCheck = 'format' | 'disclosures' | 'key_binding' | 'nonce' | 'audience' | 'transaction_data'

/** The message is a clause that the tenant may read, without anything that the wallet wrote. */
export class SdJwtError extends Error {
  readonly check: SdJwtCheck

  constructor(check: SdJwtCheck, message: string) {
    super(message)
    this.name = 'SdJwtError'
    this.check = check
  }
}

/** A JoseError becomes an error of this check; other errors are returned unchanged. */
export const asSdJwtError = (check: SdJwtCheck, error: unknown): unknown =>
  error instanceof JoseError ? new SdJwtError(check, error.message) : error
