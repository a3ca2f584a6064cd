/** Issue Credential (Aries RFC 0036 and 0453). */
export { previewViolation } from './checks.ts'
export { issuanceJob } from './issuance-job.ts'
export { issueLater } from './issue-later.ts'
export { offerCredential, offerCredentialOutOfBand } from './offers.ts'
export { acceptProposal, proposeCredential } from './proposals.ts'
export { credentialProtocols, issuanceReportV1, issuanceReportV2 } from './protocols.ts'
export { acceptOffer, acceptRequest, acknowledgeCredential, declineOffer } from './steps.ts'
