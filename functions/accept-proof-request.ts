/** AcceptProofRequest: sends a presentation for a received proof request. */
import '../lib/agent/compose.ts'
import { acceptProofRequest as accept } from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptProofRequest } from '../lib/interface/proof-exchanges.ts'

export const acceptProofRequest = command(AcceptProofRequest, ({ path, body }) => accept(path.proofRecordId, body))
