/** ReceiveInvitation: stores and accepts an invitation of another agent in one transaction. */
import { storeInvitation } from '../lib/agent/invitations/received-invitations.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ReceiveInvitation } from '../lib/interface/out-of-band.ts'

export const receiveInvitation = defineOperation(ReceiveInvitation, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body: { invitation, ...receipt } }) => storeInvitation(invitation, receipt, 'invitation'),
  inTransaction,
})
