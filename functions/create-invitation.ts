/** CreateInvitation: creates an invitation to connect. */
import '../lib/agent/compose.ts'
import { inviteToConnect } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateInvitation } from '../lib/interface/out-of-band.ts'

export const createInvitation = command(CreateInvitation, ({ body }) => inviteToConnect(body))
