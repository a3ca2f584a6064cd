/** GetTrustedIssuers: lists the issuers that the token's agent trusts. */
import { listOf } from '../lib/http/list-of.ts'
import { GetTrustedIssuers } from '../lib/interface/openid4vp.ts'
import { trustedIssuerRecords } from '../lib/records/openid-kinds.ts'

export const getTrustedIssuers = listOf(trustedIssuerRecords, GetTrustedIssuers)
