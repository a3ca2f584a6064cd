/** GetOutOfBandRecordById: returns an invitation with its record, in one read. */
import { query } from '../lib/http/query.ts'
import { GetOutOfBandRecordById } from '../lib/interface/out-of-band.ts'
import { toOutOfBandJson } from '../lib/records/out-of-band.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getOutOfBandRecordById = query(GetOutOfBandRecordById, async ({ agent, path }) =>
  toOutOfBandJson(await requireRecord(agent, 'OutOfBandRecord', path.outOfBandId)),
)
