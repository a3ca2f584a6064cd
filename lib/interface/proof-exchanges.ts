/**
 * Contracts for a prover's proposal, and for the steps of a proof exchange after its first (present-proof, Aries RFC
 * 0037 and 0454).
 */
import * as v from 'valibot'
import { ProofRecord } from '../records/proof.ts'
import { EntityId } from '../records/tenant.ts'
import { ACTION, actionOn, DELETION, defineContract } from './contract.ts'
import { Abandonment } from './fields.ts'
import { ProofAcceptance, ProofDecline } from './proof-acceptance.ts'
import { ProofProposal, ProposalAcceptance } from './proof-proposal.ts'

const OfProof = v.object({ proofRecordId: EntityId })

const STEP = actionOn(OfProof, ProofRecord)

export const AcceptProofRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptProofRequest',
  path: '/proofs/{proofRecordId}/accept-request',
  summary: 'Send a presentation for a proof request',
  description:
    'Presents the credentials that the body names for each input descriptor or referent. If none is named, the agent selects, and reveals no more than the request asks for. 422: a credential does not satisfy the request; nothing is sent.',
  body: ProofAcceptance,
}))

export const DeclineProofRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'DeclineProofRequest',
  path: '/proofs/{proofRecordId}/decline-request',
  summary: 'Decline a proof request, with a problem report to the verifier',
  body: ProofDecline,
}))

export const AcceptPresentation = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptPresentation',
  path: '/proofs/{proofRecordId}/accept-presentation',
  summary: 'Acknowledge a presentation that was verified',
  description: '409: the presentation is not verified yet.',
}))

export const ProposeProof = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'ProposeProof',
  path: '/proofs/propose-proof',
  summary: 'Send a proof proposal to a connection',
  body: ProofProposal,
  responses: { 200: ProofRecord },
}))

export const AcceptProofProposal = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptProofProposal',
  path: '/proofs/{proofRecordId}/accept-proposal',
  summary: 'Answer a proof proposal with a request, for the proposed presentation or a different one',
  description:
    'The rules of CreateRequest also apply to what is taken from the proposal. 422: a part of the request would not be enforced; nothing is sent.',
  body: ProposalAcceptance,
}))

export const DeleteProof = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteProof',
  path: '/proofs/{proofRecordId}',
  summary: 'Delete a proof exchange with its messages',
  description:
    '409: it is open, which means neither `done` nor `declined` nor `abandoned`. With `abandon=true` it is deleted all the same, and the other agent gets a problem report if it can be reached. The job that would continue it is deleted with it.',
  parameters: { path: OfProof, query: Abandonment },
}))
