/** CreateLegacyInvitation: creates an invitation for agents that do not support out-of-band. */
import '../lib/agent/compose.ts'
import { inviteByKey } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateLegacyInvitation } from '../lib/interface/out-of-band.ts'

export const createLegacyInvitation = command(CreateLegacyInvitation, ({ body }) => inviteByKey(body))
