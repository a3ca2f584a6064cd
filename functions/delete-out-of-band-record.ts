/** DeleteOutOfBandRecord: deletes an invitation with the DID and the key that only it uses. No wallet can accept it any more. */
import { removeOf } from '../lib/http/remove-of.ts'
import { DeleteOutOfBandRecord } from '../lib/interface/out-of-band.ts'
import { outOfBandRecords } from '../lib/records/kinds.ts'
import { didsOfInvitation } from '../lib/records/owners.ts'
import { removeUnusedDids } from '../lib/removal/unused-dids.ts'

export const deleteOutOfBandRecord = removeOf(outOfBandRecords, DeleteOutOfBandRecord, (unit, _, { value }) =>
  removeUnusedDids(unit, didsOfInvitation(value)),
)
