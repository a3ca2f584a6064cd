/** ReceiveInvitationUrl: receives the invitation of a URL, fetched once however often the transaction runs. */
import '../lib/agent/compose.ts'
import { invitationAt, storeInvitationOfUrl } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { ReceiveInvitationUrl } from '../lib/interface/out-of-band.ts'

export const receiveInvitationUrl = command(ReceiveInvitationUrl, {
  prepare: ({ body }) => invitationAt(body.invitationUrl),
  handle: ({ body: { invitationUrl: _, ...receipt }, prepared }) => storeInvitationOfUrl(prepared, receipt),
})
