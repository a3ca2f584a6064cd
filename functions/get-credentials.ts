/** GetCredentials: lists the credential exchanges of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetCredentials } from '../lib/interface/credentials.ts'
import { credentialRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getCredentials = query(GetCredentials, async ({ agent, query }) => {
  const page = await listFiltered(agent, credentialRecords, query)
  return pageOf(page, credentialRecords.view, { path: GetCredentials.path, query })
})
