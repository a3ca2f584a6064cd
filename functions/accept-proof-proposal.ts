/**
 * AcceptProofProposal: answers a received proposal with a proof request. The proposal is checked like the body of a request. Addresses are read as the
 * caller names them, and never as the proposal does.
 */
import '../lib/agent/compose.ts'
import {
  acceptProofProposal as accept,
  NOTHING_NAMED,
  prepareProofRequest,
} from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { validate } from '../lib/http/validate.ts'
import { AcceptProofProposal } from '../lib/interface/proof-exchanges.ts'
import { RequestedFormats } from '../lib/interface/proof-request.ts'

export const acceptProofProposal = command(AcceptProofProposal, {
  prepare: ({ body }) => prepareProofRequest({ presentationExchange: NOTHING_NAMED, ...body.proofFormats }),
  handle: ({ path, body, prepared }) =>
    accept(path.proofRecordId, body, prepared, (proofFormats) => {
      const message = 'what was proposed can not be asked for as it is'
      return validate(RequestedFormats, { proofFormats }, 'request.invalid', message).proofFormats
    }),
})
