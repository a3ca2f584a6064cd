/** CreateRequest: a proof request in a single-use out-of-band invitation. */
import { createProofRequest } from '../lib/agent/proof-requests.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { CreateRequest } from '../lib/interface/proofs.ts'

export const createRequest = defineCommand(CreateRequest, {
  authorize: ({ principal }) => actingAgent(principal),
  act: ({ body }) => createProofRequest(body),
})
