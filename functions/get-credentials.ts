/** GetCredentials: lists the credential exchanges of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetCredentials } from '../lib/interface/credentials.ts'
import { credentialRecords } from '../lib/records/kinds.ts'

export const getCredentials = listOf(credentialRecords, GetCredentials)
