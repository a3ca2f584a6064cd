/** CreateRequest: a proof request in a single-use out-of-band invitation. */
import { createProofRequest } from '../lib/agent/proof-requests.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { CreateRequest } from '../lib/interface/proofs.ts'

export const createRequest = defineOperation(
  CreateRequest,
  transactional(({ body }) => createProofRequest(body)),
)
