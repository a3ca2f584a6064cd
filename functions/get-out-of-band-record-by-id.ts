/** GetOutOfBandRecordById: returns an invitation with its record, in one read. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetOutOfBandRecordById } from '../lib/interface/out-of-band.ts'
import { toOutOfBandJson } from '../lib/records/out-of-band.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getOutOfBandRecordById = defineOperation(GetOutOfBandRecordById, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) => toOutOfBandJson(await requireRecord(agent, 'OutOfBandRecord', path.outOfBandId)),
})
