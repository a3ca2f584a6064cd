/** SendPing: sends a trust ping to a connection. */
import '../lib/agent/compose-sending.ts'
import { sendTrustPing } from '../lib/agent/connections/index.ts'
import { command } from '../lib/http/command.ts'
import { SendPing } from '../lib/interface/connections.ts'

export const sendPing = command(SendPing, ({ path, body }) => sendTrustPing(path.connectionId, body))
