/** RequestProof: sends a proof request to a connection. */
import '../lib/agent/compose.ts'
import { requestProof as ask, prepareProofRequest } from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { RequestProof } from '../lib/interface/proof-request.ts'

export const requestProof = command(RequestProof, {
  prepare: ({ body }) => prepareProofRequest(body.proofFormats),
  handle: ({ body, prepared }) => ask(body, prepared),
})
