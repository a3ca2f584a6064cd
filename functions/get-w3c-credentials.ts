/** GetW3cCredentials: lists the credentials that the token's agent holds. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetW3cCredentials } from '../lib/interface/w3c-credentials.ts'
import { w3cCredentialRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getW3cCredentials = query(GetW3cCredentials, async ({ agent, query }) => {
  const page = await listFiltered(agent, w3cCredentialRecords, query)
  return pageOf(page, w3cCredentialRecords.view, { path: GetW3cCredentials.path, query })
})
