/** ReceiveInvitationUrl: receives the invitation of a URL, which is fetched once, however often the transaction runs. */
import { invitationAt } from '../lib/agent/invitations/invitation-address.ts'
import { storeInvitationOfUrl } from '../lib/agent/invitations/received-invitations.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ReceiveInvitationUrl } from '../lib/interface/out-of-band.ts'

export const receiveInvitationUrl = defineOperation(ReceiveInvitationUrl, {
  authorize: ({ principal }) => actingAgent(principal),
  prepare: ({ body }) => invitationAt(body.invitationUrl),
  handle: ({ body: { invitationUrl: _, ...receipt }, prepared }) => storeInvitationOfUrl(prepared, receipt),
  inTransaction,
})
