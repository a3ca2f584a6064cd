/** DeleteCredential: deletes a credential exchange with its messages. Credo is loaded only to abandon an open one. */
import { command } from '../lib/http/command.ts'
import { DeleteCredential } from '../lib/interface/credential-exchanges.ts'
import { credentialRecords } from '../lib/records/kinds.ts'
import { removeExchange } from '../lib/removal/exchange.ts'

const abandon = async (id: string) => (await import('../lib/agent/abandoned.ts')).reportAbandonedCredential(id)

export const deleteCredential = command(DeleteCredential, ({ path, query, unit }) =>
  removeExchange(unit, credentialRecords, path.credentialRecordId, query.abandon === 'true' ? abandon : undefined),
)
