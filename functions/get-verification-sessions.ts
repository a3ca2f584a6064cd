/** GetVerificationSessions: lists the verification sessions of the token's agent, the newest first. */
import { listOf } from '../lib/http/list-of.ts'
import { GetVerificationSessions } from '../lib/interface/openid4vp.ts'
import { verificationSessionRecords } from '../lib/records/openid-kinds.ts'

export const getVerificationSessions = listOf(verificationSessionRecords, GetVerificationSessions)
