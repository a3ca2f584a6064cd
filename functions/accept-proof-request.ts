/** AcceptProofRequest: sends a presentation for a received proof request. */
import { acceptProofRequest as accept } from '../lib/agent/proofs/steps.ts'
import { command } from '../lib/http/command.ts'
import { AcceptProofRequest } from '../lib/interface/proof-exchanges.ts'

export const acceptProofRequest = command(AcceptProofRequest, ({ path, body }) => accept(path.proofRecordId, body))
