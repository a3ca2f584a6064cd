/** Present Proof (Aries RFC 0037 and 0454). */
export { presentationReportV1, presentationReportV2, proposalViolation } from './checks.ts'
export { acceptProofProposal, proposeProof } from './proposals.ts'
export { proofProtocols } from './protocols.ts'
export { createProofRequest, NO_DEFINITION, prepareProofRequest, requestProof } from './requests.ts'
export { acceptPresentation, acceptProofRequest, declineProofRequest } from './steps.ts'
export { presentationJob } from './verification-job.ts'
