/** GetW3cCredentials: lists the credentials that the token's agent holds. */
import { listOf } from '../lib/http/list-of.ts'
import { GetW3cCredentials } from '../lib/interface/w3c-credentials.ts'
import { w3cCredentialRecords } from '../lib/records/kinds.ts'

export const getW3cCredentials = listOf(w3cCredentialRecords, GetW3cCredentials)
