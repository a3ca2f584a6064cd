/** DeleteVerifier: deletes a verifier, whose open sessions end and whose id is never given again. */
import { removeOf } from '../lib/http/remove-of.ts'
import { DeleteVerifier } from '../lib/interface/openid4vp.ts'
import { releasePublicId } from '../lib/openid/public-ids.ts'
import { verifierRecords } from '../lib/records/openid-kinds.ts'

export const deleteVerifier = removeOf(verifierRecords, DeleteVerifier, releasePublicId)
