/** Which errors of the library are a judgement on what another agent has sent. */
import { AnoncredsError } from '@hyperledger/anoncreds-shared'

/** Codes for what the library was given: input, state, revoked, index of revocation, proof. Its other errors are of its own. */
const JUDGEMENTS = [1, 3, 5, 6, 7]

export const isJudgement = (error: unknown): error is AnoncredsError =>
  error instanceof AnoncredsError && JUDGEMENTS.includes(error.code)
