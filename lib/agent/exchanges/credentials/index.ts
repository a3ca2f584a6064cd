/** Issue Credential (Aries RFC 0036 and 0453). */
export { issuanceJob } from './issuance-job.ts'
export { issueLater } from './issue-later.ts'
export { offerCredential, offerCredentialOutOfBand } from './offers.ts'
export { acceptProposal, proposeCredential } from './proposals.ts'
export { credentialProtocols } from './protocols.ts'
export { acceptOffer, acceptRequest, acknowledgeCredential, declineOffer } from './steps.ts'
