/** DeleteProof: deletes a proof exchange with its messages. Credo is loaded only to abandon an open one. */
import { command } from '../lib/http/command.ts'
import { DeleteProof } from '../lib/interface/proof-exchanges.ts'
import { proofRecords } from '../lib/records/kinds.ts'
import { removeExchange } from '../lib/removal/exchange.ts'

const abandon = async (id: string) => (await import('../lib/agent/abandoned.ts')).reportAbandonedProof(id)

export const deleteProof = command(DeleteProof, ({ path, query, unit }) =>
  removeExchange(unit, proofRecords, path.proofRecordId, query.abandon === 'true' ? abandon : undefined),
)
