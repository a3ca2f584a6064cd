/** DeleteConnection: deletes the record, and sends the other agent a hang-up in the same transaction. */
import '../lib/agent/compose-sending.ts'
import { endConnection } from '../lib/agent/connections/index.ts'
import { command } from '../lib/http/command.ts'
import { DeleteConnection } from '../lib/interface/connections.ts'

export const deleteConnection = command(DeleteConnection, ({ path }) => endConnection(path.connectionId))
