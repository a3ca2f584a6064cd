/** GetCredentials: lists the credential exchanges of the token's agent. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetCredentials } from '../lib/interface/credentials.ts'
import { toCredentialExchangeJson } from '../lib/records/credential-exchange.ts'
import { listExchanges } from '../lib/store/exchange-list.ts'

export const getCredentials = defineOperation(GetCredentials, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { entries, next } = await listExchanges(agent, 'CredentialRecord', query)
    return pageOf(entries.map(toCredentialExchangeJson), { path: GetCredentials.path, query, next })
  },
})
