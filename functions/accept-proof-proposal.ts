/** AcceptProofProposal: answers a received proposal with a proof request. The proposal is checked like the body of a request. */
import { acceptProofProposal as accept } from '../lib/agent/proofs/proposals.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { validate } from '../lib/http/validate.ts'
import { AcceptProofProposal } from '../lib/interface/proof-exchanges.ts'
import { RequestedFormats } from '../lib/interface/proof-request.ts'

export const acceptProofProposal = defineOperation(AcceptProofProposal, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) =>
    accept(path.proofRecordId, body, (proofFormats) => {
      const message = 'what was proposed can not be asked for as it is'
      return validate(RequestedFormats, { proofFormats }, 'request.invalid', message).proofFormats
    }),
  inTransaction,
})
