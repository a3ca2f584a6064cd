/** DeleteVerificationSession: deletes a verification session with its claims. */
import { removeOf } from '../lib/http/remove-of.ts'
import { DeleteVerificationSession } from '../lib/interface/openid4vp.ts'
import { deleteResult } from '../lib/openid4vp/result.ts'
import { verificationSessionRecords } from '../lib/records/openid-kinds.ts'

export const deleteVerificationSession = removeOf(verificationSessionRecords, DeleteVerificationSession, deleteResult)
