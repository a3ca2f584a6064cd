/** ReceiveInvitationUrl: receives the invitation of a URL, fetched once however often the transaction runs. */
import '../lib/agent/compose.ts'
import { invitationAt, storeInvitation } from '../lib/agent/invitations/index.ts'
import { addressedInvitation } from '../lib/http/addressed-invitation.ts'
import { command } from '../lib/http/command.ts'
import { ReceiveInvitationUrl } from '../lib/interface/out-of-band.ts'

export const receiveInvitationUrl = command(ReceiveInvitationUrl, {
  prepare: ({ body }) => invitationAt(body.invitationUrl),
  handle: ({ body: { invitationUrl: _, ...receipt }, prepared }) =>
    storeInvitation(addressedInvitation(prepared), receipt, 'invitationUrl'),
})
