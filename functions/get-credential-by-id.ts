/** GetCredentialById: returns a credential exchange record, in one read. */
import { query } from '../lib/http/query.ts'
import { GetCredentialById } from '../lib/interface/credentials.ts'
import { toCredentialExchangeJson } from '../lib/records/credential-exchange.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getCredentialById = query(GetCredentialById, async ({ agent, path }) =>
  toCredentialExchangeJson(await requireRecord(agent, 'CredentialRecord', path.credentialRecordId)),
)
