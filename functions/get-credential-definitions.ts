/** GetCredentialDefinitions: lists the credential definitions of the token's agent. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetCredentialDefinitions } from '../lib/interface/anoncreds.ts'
import { CREDENTIAL_DEFINITION, toCredentialDefinitionJson } from '../lib/records/credential-definition.ts'
import { everyPartition } from '../lib/store/index-entries.ts'
import { listRecords, type ReadRecord } from '../lib/store/record-reads.ts'

export const getCredentialDefinitions = defineOperation(GetCredentialDefinitions, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { state, ...paging } = query
    const passes = state === undefined ? undefined : ({ tags }: ReadRecord) => tags.state === state
    const page = await listRecords(everyPartition(agent, CREDENTIAL_DEFINITION), paging, passes)
    const { path } = GetCredentialDefinitions
    return pageOf(page.entries.map(toCredentialDefinitionJson), { path, query, next: page.next })
  },
})
