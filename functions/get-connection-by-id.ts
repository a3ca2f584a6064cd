/** GetConnectionById: returns a connection record, in one read. */
import { query } from '../lib/http/query.ts'
import { GetConnectionById } from '../lib/interface/connections.ts'
import { toConnectionJson } from '../lib/records/connection.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getConnectionById = query(GetConnectionById, async ({ agent, path }) =>
  toConnectionJson(await requireRecord(agent, 'ConnectionRecord', path.connectionId)),
)
