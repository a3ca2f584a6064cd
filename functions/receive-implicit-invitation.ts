/** ReceiveImplicitInvitation: requests a connection with the agent of a public DID. */
import '../lib/agent/compose.ts'
import { connectToPublicDid } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { ReceiveImplicitInvitation } from '../lib/interface/out-of-band.ts'

export const receiveImplicitInvitation = command(ReceiveImplicitInvitation, ({ body: { did, ...acceptance } }) =>
  connectToPublicDid(did, acceptance),
)
