/** GetW3cCredentialById: returns a credential that the token's agent holds, in one read. */
import { query } from '../lib/http/query.ts'
import { GetW3cCredentialById } from '../lib/interface/w3c-credentials.ts'
import { toW3cCredentialJson } from '../lib/records/w3c-credential.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getW3cCredentialById = query(GetW3cCredentialById, async ({ agent, path }) =>
  toW3cCredentialJson(await requireRecord(agent, 'W3cCredentialRecord', path.w3cCredentialRecordId)),
)
