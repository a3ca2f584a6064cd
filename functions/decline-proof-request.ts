/** DeclineProofRequest: declines a received proof request. */
import '../lib/agent/compose.ts'
import { declineProofRequest as decline } from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { DeclineProofRequest } from '../lib/interface/proof-exchanges.ts'

export const declineProofRequest = command(DeclineProofRequest, ({ path, body }) => decline(path.proofRecordId, body))
