/** GetConnectionById: returns a connection record, in one read. */

import { query } from '../lib/http/query.ts'
import { GetConnectionById } from '../lib/interface/connections.ts'
import { connectionRecords } from '../lib/records/kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getConnectionById = query(GetConnectionById, ({ agent, path }) =>
  showRecord(agent, connectionRecords, path.connectionId),
)
