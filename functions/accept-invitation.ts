/** AcceptInvitation: accepts a received invitation. */
import '../lib/agent/compose.ts'
import { acceptStoredInvitation } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptInvitation } from '../lib/interface/out-of-band.ts'

export const acceptInvitation = command(AcceptInvitation, ({ path, body }) =>
  acceptStoredInvitation(path.outOfBandId, body),
)
