/** GetCredentials: lists the credential exchanges of the token's agent. */
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetCredentials } from '../lib/interface/credentials.ts'
import { toCredentialExchangeJson } from '../lib/records/credential-exchange.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getCredentials = query(GetCredentials, async ({ agent, query }) => {
  const page = await listFiltered(agent, 'CredentialRecord', query)
  return pageOf(page, toCredentialExchangeJson, { path: GetCredentials.path, query })
})
