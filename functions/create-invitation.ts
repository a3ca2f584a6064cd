/** CreateInvitation: creates an invitation to connect. */
import { inviteToConnect } from '../lib/agent/invitations/own-invitations.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateInvitation } from '../lib/interface/out-of-band.ts'

export const createInvitation = defineOperation(CreateInvitation, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => inviteToConnect(body),
  inTransaction,
})
