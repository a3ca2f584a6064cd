/** ProposeProof: sends a proof proposal to a connection. */
import { proposeProof as propose } from '../lib/agent/proofs/proposals.ts'
import { command } from '../lib/http/command.ts'
import { ProposeProof } from '../lib/interface/proof-exchanges.ts'

export const proposeProof = command(ProposeProof, ({ body }) => propose(body))
