/** GetIssuanceSessions: lists the issuance sessions of the token's agent, the newest first. */
import { listOf } from '../lib/http/list-of.ts'
import { GetIssuanceSessions } from '../lib/interface/openid4vci.ts'
import { issuanceSessionRecords } from '../lib/records/openid-kinds.ts'

export const getIssuanceSessions = listOf(issuanceSessionRecords, GetIssuanceSessions)
