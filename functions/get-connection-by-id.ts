/** GetConnectionById: returns a connection record, in one read. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetConnectionById } from '../lib/interface/connections.ts'
import { toConnectionJson } from '../lib/records/connection.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getConnectionById = defineOperation(GetConnectionById, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) =>
    toConnectionJson(await requireRecord(agent, 'ConnectionRecord', path.connectionId)),
})
