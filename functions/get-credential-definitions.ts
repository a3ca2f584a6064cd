/** GetCredentialDefinitions: lists the credential definitions of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetCredentialDefinitions } from '../lib/interface/anoncreds.ts'
import { credentialDefinitionRecords } from '../lib/records/kinds.ts'

export const getCredentialDefinitions = listOf(credentialDefinitionRecords, GetCredentialDefinitions)
