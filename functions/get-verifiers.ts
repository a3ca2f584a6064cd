/** GetVerifiers: lists the verifiers of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetVerifiers } from '../lib/interface/openid4vp.ts'
import { verifierRecords } from '../lib/records/openid-kinds.ts'

export const getVerifiers = listOf(verifierRecords, GetVerifiers)
