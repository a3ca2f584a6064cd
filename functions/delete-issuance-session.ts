/** DeleteIssuanceSession: deletes an issuance session with its claims. */
import { removeOf } from '../lib/http/remove-of.ts'
import { DeleteIssuanceSession } from '../lib/interface/openid4vci.ts'
import { deleteClaims } from '../lib/openid4vci/claims-item.ts'
import { issuanceSessionRecords } from '../lib/records/openid-kinds.ts'

export const deleteIssuanceSession = removeOf(issuanceSessionRecords, DeleteIssuanceSession, deleteClaims)
