/** AcceptProofProposal: turns a proposal into a proof request. Only addresses that the caller names are read. */
import '../lib/agent/compose.ts'
import {
  acceptProofProposal as accept,
  NO_DEFINITION,
  prepareProofRequest,
} from '../lib/agent/exchanges/proofs/index.ts'
import { assertSafeJson } from '../lib/http/body.ts'
import { command } from '../lib/http/command.ts'
import { validate } from '../lib/http/validate.ts'
import { AcceptProofProposal } from '../lib/interface/proof-exchanges.ts'
import { RequestedFormats } from '../lib/interface/proof-request.ts'

export const acceptProofProposal = command(AcceptProofProposal, {
  prepare: ({ body }) => prepareProofRequest({ presentationExchange: NO_DEFINITION, ...body.proofFormats }),
  handle: ({ path, body, prepared }) => accept(path.proofRecordId, body, prepared, validFormats),
})

const NOT_SUPPORTED = 'the proposal is not supported as a request'

/** Another agent wrote the proposal: the request from it must match the schema of a body. */
const validFormats = (proofFormats: object) => {
  assertSafeJson({ proofFormats }, NOT_SUPPORTED)
  return validate(RequestedFormats, { proofFormats }, 'request.invalid', NOT_SUPPORTED).proofFormats
}
