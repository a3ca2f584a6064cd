/** Contracts for the steps of a proof exchange: proposal, request and presentation (present-proof, Aries RFC 0037 and 0454). */
import * as v from 'valibot'
import { ProofRecord } from '../records/proof.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { ProofAnswer, ProofRefusal } from './proof-answer.ts'
import { ProofProposal, ProposalAnswer } from './proof-proposal.ts'
import { ConnectionProofRequest, ProofRequest, ProofRequestResult } from './proof-request.ts'

const STEP = {
  method: 'POST',
  security: 'token',
  idempotent: true,
  companion: true,
  parameters: { path: v.object({ proofRecordId: EntityId }) },
  answers: { 200: ProofRecord },
  refusals: [404, 409],
} as const

export const CreateRequest = /* @__PURE__ */ defineContract(() => ({
  operationId: 'CreateRequest',
  method: 'POST',
  path: '/proofs/create-request-oob',
  summary: 'Create a presentation request that is bound to no proposal and to no existing connection',
  description:
    'A constraint, path, filter, pattern or claim format of a presentation definition that would not be enforced is a 422 that names it. ' +
    'Contexts in the options are trusted for this request beside those of the service, and are not sent to the wallet.',
  security: 'token',
  idempotent: true,
  body: ProofRequest,
  answers: { 200: ProofRequestResult },
  refusals: [404],
}))

export const RequestProof = /* @__PURE__ */ defineContract(() => ({
  operationId: 'RequestProof',
  method: 'POST',
  path: '/proofs/request-proof',
  summary: 'Ask a connection for a proof',
  description: 'What would not be enforced is a 422, as with CreateRequest.',
  security: 'token',
  idempotent: true,
  companion: true,
  body: ConnectionProofRequest,
  answers: { 200: ProofRecord },
  refusals: [404],
}))

export const AcceptProofRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptProofRequest',
  path: '/proofs/{proofRecordId}/accept-request',
  summary: 'Present what a verifier has asked for',
  description:
    'With the credentials that are named for an input descriptor or a referent. Where none is named the agent selects, and shows no more than the request asks for. What does not fit is a 422, and nothing is sent.',
  body: ProofAnswer,
}))

export const DeclineProofRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'DeclineProofRequest',
  path: '/proofs/{proofRecordId}/decline-request',
  summary: 'Decline a request for a proof; the verifier is told by a problem report',
  body: ProofRefusal,
}))

export const AcceptPresentation = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptPresentation',
  path: '/proofs/{proofRecordId}/accept-presentation',
  summary: 'Acknowledge a presentation that was verified',
  description: 'One that did not verify is a 409: its record keeps `isVerified: false`.',
}))

export const ProposeProof = /* @__PURE__ */ defineContract(() => ({
  operationId: 'ProposeProof',
  method: 'POST',
  path: '/proofs/propose-proof',
  summary: 'Propose to a connection what to present',
  security: 'token',
  idempotent: true,
  companion: true,
  body: ProofProposal,
  answers: { 200: ProofRecord },
  refusals: [404],
}))

export const AcceptProofProposal = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptProofProposal',
  path: '/proofs/{proofRecordId}/accept-proposal',
  summary: 'Ask for what a prover has proposed, or for something else in its place',
  description:
    'What is taken from the proposal is held to the rules of CreateRequest: what would not be enforced is a 422, and nothing is sent.',
  body: ProposalAnswer,
}))
