/** GetOutOfBandRecords: lists the invitations of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetOutOfBandRecords } from '../lib/interface/out-of-band.ts'
import { outOfBandRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getOutOfBandRecords = query(GetOutOfBandRecords, async ({ agent, query }) => {
  const page = await listFiltered(agent, outOfBandRecords, query)
  return pageOf(page, outOfBandRecords.view, { path: GetOutOfBandRecords.path, query })
})
