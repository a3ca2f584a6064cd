/** Contracts for a prover's proposal, and for the steps of a proof exchange after its first (present-proof, Aries RFC 0037 and 0454). */
import * as v from 'valibot'
import { ProofRecord } from '../records/proof.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { ProofAnswer, ProofRefusal } from './proof-answer.ts'
import { ProofProposal, ProposalAnswer } from './proof-proposal.ts'

const STEP = {
  method: 'POST',
  security: 'token',
  idempotent: true,
  companion: true,
  parameters: { path: v.object({ proofRecordId: EntityId }) },
  answers: { 200: ProofRecord },
  refusals: [404, 409],
} as const

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
