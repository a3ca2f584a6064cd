/** ReceiveImplicitInvitation: requests a connection with the agent of a public DID. */
import { connectToPublicDid } from '../lib/agent/invitations/received-invitations.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ReceiveImplicitInvitation } from '../lib/interface/out-of-band.ts'

export const receiveImplicitInvitation = defineOperation(ReceiveImplicitInvitation, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body: { did, ...acceptance } }) => connectToPublicDid(did, acceptance),
  inTransaction,
})
