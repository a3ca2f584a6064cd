/** Contracts for a holder's proposal, and for the steps of a credential exchange after its first (issue-credential, Aries RFC 0453). */
import { CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { defineContract } from './contract.ts'
import { CredentialAnswer, OfferAnswer, OfferRefusal, ProposalAnswer, RequestAnswer } from './credential-answer.ts'
import { CredentialProposal } from './credential-proposal.ts'

const STEP = {
  method: 'POST',
  security: 'token',
  idempotent: true,
  companion: true,
  answers: { 200: CredentialExchangeRecord },
  refusals: [404, 409],
} as const

export const ProposeCredential = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'ProposeCredential',
  path: '/credentials/propose-credential',
  summary: 'Propose to a connection that it issue a credential',
  body: CredentialProposal,
}))

export const AcceptCredentialProposal = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredentialProposal',
  path: '/credentials/accept-proposal',
  summary: 'Offer what a holder has proposed, or something else in its place',
  description:
    'What `credentialFormats` leaves out is taken from the proposal. All of it is held to the rules of CreateOffer: nobody proposes what the agent could not offer.',
  body: ProposalAnswer,
}))

export const AcceptCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredentialOffer',
  path: '/credentials/accept-offer',
  summary: 'Ask for the credential that was offered',
  description:
    'What is issued later is stored only if it is what was offered. The record is `done` when the credential is stored, unless `autoAcceptCredential` is `never`.',
  body: OfferAnswer,
}))

export const DeclineCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'DeclineCredentialOffer',
  path: '/credentials/decline-offer',
  summary: 'Decline an offer; the issuer is told by a problem report',
  body: OfferRefusal,
}))

export const AcceptCredentialRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredentialRequest',
  path: '/credentials/accept-request',
  summary: 'Issue the credential that was offered and asked for',
  description:
    'A request that is no proof for what was offered ends the exchange: the record is `abandoned`, and the holder is told.',
  body: RequestAnswer,
}))

export const AcceptCredential = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredential',
  path: '/credentials/accept-credential',
  summary: 'Acknowledge a credential that was received and stored',
  body: CredentialAnswer,
}))
