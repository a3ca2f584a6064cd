/** CreateLegacyInvitation: creates an invitation for agents that do not support out-of-band. */
import { inviteByKey } from '../lib/agent/invitations/own-invitations.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateLegacyInvitation } from '../lib/interface/out-of-band.ts'

export const createLegacyInvitation = defineOperation(CreateLegacyInvitation, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => inviteByKey(body),
  inTransaction,
})
