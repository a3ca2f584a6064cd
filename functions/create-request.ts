/** CreateRequest: creates a proof request in a single-use out-of-band invitation. */
import '../lib/agent/compose.ts'
import { createProofRequest, prepareProofRequest } from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateRequest } from '../lib/interface/proof-request.ts'

export const createRequest = command(CreateRequest, {
  prepare: ({ body }) => prepareProofRequest(body.proofFormats),
  handle: ({ body, prepared }) => createProofRequest(body, prepared),
})
