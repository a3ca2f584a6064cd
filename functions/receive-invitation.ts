/** ReceiveInvitation: stores and accepts an invitation of another agent in one transaction. */
import '../lib/agent/compose.ts'
import { storeInvitation } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { ReceiveInvitation } from '../lib/interface/out-of-band.ts'

export const receiveInvitation = command(ReceiveInvitation, ({ body: { invitation, ...receipt } }) =>
  storeInvitation(invitation, receipt, 'invitation'),
)
