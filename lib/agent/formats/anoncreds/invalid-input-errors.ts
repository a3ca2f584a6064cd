/** Which errors of the library mean that the other agent's message is invalid. */
import { AnoncredsError } from '@hyperledger/anoncreds-shared'

/**
 * Error codes for invalid input: input, state, revoked, index of revocation, proof. Other errors are failures of the
 * library itself.
 */
const INVALID_INPUT_CODES = [1, 3, 5, 6, 7]

export const isInvalidInputError = (error: unknown): error is AnoncredsError =>
  error instanceof AnoncredsError && INVALID_INPUT_CODES.includes(error.code)
