/** Invitations (Aries RFC 0434): those of the agent, those that it receives, and the requests in them. */
export { AgentDispatcher } from './dispatcher.ts'
export { acceptRequest, acceptResponse } from './handshake-steps.ts'
export { invitationAt } from './invitation-address.ts'
export { inviteWith } from './invitation-with-request.ts'
export {
  findInvitation,
  findInvitationOfRequest,
  findInvitationsOfKey,
  type Invitation,
  isAcceptedBy,
  isAddressedTo,
  isOfInviter,
  isOfInviterOf,
  isUnused,
  markUsed,
  mayReuse,
  rememberInvitationOfKey,
} from './invitations.ts'
export { AgentOutOfBandService } from './out-of-band-service.ts'
export { inviteByKey, inviteToConnect } from './own-invitations.ts'
export { acceptStoredInvitation, connectToPublicDid, storeInvitation } from './received-invitations.ts'
