/** GetOutOfBandRecordById: returns an invitation with its record, in one read. */

import { query } from '../lib/http/query.ts'
import { GetOutOfBandRecordById } from '../lib/interface/out-of-band.ts'
import { outOfBandRecords } from '../lib/records/kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getOutOfBandRecordById = query(GetOutOfBandRecordById, ({ agent, path }) =>
  showRecord(agent, outOfBandRecords, path.outOfBandId),
)
