/** DeleteOutOfBandRecord: deletes an invitation, so that no wallet can accept it any more. */
import { removeOf } from '../lib/http/remove-of.ts'
import { DeleteOutOfBandRecord } from '../lib/interface/out-of-band.ts'
import { outOfBandRecords } from '../lib/records/kinds.ts'

export const deleteOutOfBandRecord = removeOf(outOfBandRecords, DeleteOutOfBandRecord)
