/** GetW3cCredentials: lists the credentials that the token's agent holds. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetW3cCredentials } from '../lib/interface/w3c-credentials.ts'
import { toW3cCredentialJson } from '../lib/records/w3c-credential.ts'
import { everyPartition } from '../lib/store/index-entries.ts'
import { listIndexed } from '../lib/store/record-reads.ts'

export const getW3cCredentials = defineOperation(GetW3cCredentials, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { entries, next } = await listIndexed(everyPartition(agent, 'W3cCredentialRecord'), query)
    return pageOf(entries.map(toW3cCredentialJson), { path: GetW3cCredentials.path, query, next })
  },
})
