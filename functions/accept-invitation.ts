/** AcceptInvitation: accepts a received invitation. */
import { acceptStoredInvitation } from '../lib/agent/invitations/received-invitations.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptInvitation } from '../lib/interface/out-of-band.ts'

export const acceptInvitation = defineOperation(AcceptInvitation, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => acceptStoredInvitation(path.outOfBandId, body),
  inTransaction,
})
