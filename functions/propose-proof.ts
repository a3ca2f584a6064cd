/** ProposeProof: sends a proof proposal to a connection. */
import '../lib/agent/compose.ts'
import { proposeProof as propose } from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { ProposeProof } from '../lib/interface/proof-exchanges.ts'

export const proposeProof = command(ProposeProof, ({ body }) => propose(body))
