/** GetCredentialDefinitions: lists the credential definitions of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetCredentialDefinitions } from '../lib/interface/anoncreds.ts'
import { credentialDefinitionRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getCredentialDefinitions = query(GetCredentialDefinitions, async ({ agent, query }) => {
  const page = await listFiltered(agent, credentialDefinitionRecords, query)
  return pageOf(page, credentialDefinitionRecords.view, { path: GetCredentialDefinitions.path, query })
})
