/** GetIssuers: lists the issuers of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetIssuers } from '../lib/interface/openid4vci-issuers.ts'
import { issuerRecords } from '../lib/records/openid-kinds.ts'

export const getIssuers = listOf(issuerRecords, GetIssuers)
