/** GetConnections: lists the connections of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetConnections } from '../lib/interface/connections.ts'
import { connectionRecords } from '../lib/records/kinds.ts'

export const getConnections = listOf(connectionRecords, GetConnections)
