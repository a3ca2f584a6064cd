/** GetCredentialById: returns a credential exchange record, in one read. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetCredentialById } from '../lib/interface/credentials.ts'
import { toCredentialExchangeJson } from '../lib/records/credential-exchange.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getCredentialById = defineOperation(GetCredentialById, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) =>
    toCredentialExchangeJson(await requireRecord(agent, 'CredentialRecord', path.credentialRecordId)),
})
