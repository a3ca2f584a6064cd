/** AcceptPresentation: acknowledges a verified presentation. */
import '../lib/agent/compose.ts'
import { acceptPresentation as accept } from '../lib/agent/exchanges/proofs/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptPresentation } from '../lib/interface/proof-exchanges.ts'

export const acceptPresentation = command(AcceptPresentation, ({ path }) => accept(path.proofRecordId))
