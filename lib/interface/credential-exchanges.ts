/**
 * Contracts for a holder's proposal, and for the steps of a credential exchange after its first (issue-credential,
 * Aries RFC 0453).
 */
import * as v from 'valibot'
import { CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { EntityId } from '../records/tenant.ts'
import { ACTION, DELETION, defineContract } from './contract.ts'
import {
  CredentialAcceptance,
  OfferAcceptance,
  OfferDecline,
  ProposalAcceptance,
  RequestAcceptance,
} from './credential-acceptance.ts'
import { CredentialProposal } from './credential-proposal.ts'
import { Abandonment } from './fields.ts'

const STEP = {
  ...ACTION,
  responses: { 200: CredentialExchangeRecord },
} as const

export const ProposeCredential = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'ProposeCredential',
  path: '/credentials/propose-credential',
  summary: 'Send a credential proposal to a connection',
  body: CredentialProposal,
}))

export const AcceptCredentialProposal = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredentialProposal',
  path: '/credentials/accept-proposal',
  summary: 'Answer a credential proposal with an offer, of the proposed credential or a different one',
  description:
    'Offers the formats in `credentialFormats`, or else all proposed formats; missing fields are taken from the proposal. The rules of CreateOffer apply to the whole offer.',
  body: ProposalAcceptance,
}))

export const AcceptCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredentialOffer',
  path: '/credentials/accept-offer',
  summary: 'Accept a credential offer and request the credential',
  description:
    'The issued credential is stored only if it equals the offer. The record is `done` when the credential is stored, unless `autoAcceptCredential` is `never`.',
  body: OfferAcceptance,
}))

export const DeclineCredentialOffer = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'DeclineCredentialOffer',
  path: '/credentials/decline-offer',
  summary: 'Decline a credential offer, with a problem report to the issuer',
  body: OfferDecline,
}))

export const AcceptCredentialRequest = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredentialRequest',
  path: '/credentials/accept-request',
  summary: 'Accept a credential request and issue the credential',
  description:
    'If the request is not valid for the offer, the exchange ends: the record is `abandoned`, and the holder gets a problem report if there is a connection.',
  body: RequestAcceptance,
}))

export const AcceptCredential = /* @__PURE__ */ defineContract(() => ({
  ...STEP,
  operationId: 'AcceptCredential',
  path: '/credentials/accept-credential',
  summary: 'Acknowledge a received credential',
  description:
    'A credential that could not be verified on receipt (`metadata["_agent/unverified"]` says why) is verified and stored first. 503: a document that it refers to still cannot be read. 409: its issuance date, which the message names, is in the future. If the credential differs from the offer, the exchange ends: the record is `abandoned`, and the issuer gets a problem report if there is a connection.',
  body: CredentialAcceptance,
}))

export const DeleteCredential = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteCredential',
  path: '/credentials/{credentialRecordId}',
  summary: 'Delete a credential exchange with its messages',
  description:
    '409: it is open, which means neither `done` nor `declined` nor `abandoned`. With `abandon=true` it is deleted all the same, and the other agent gets a problem report if it can be reached. The job that would continue it is deleted with it. A held credential stays. An issued one can no longer be revoked; a revocation that is not published yet is still published, and its holder is not notified.',
  parameters: { path: v.object({ credentialRecordId: EntityId }), query: Abandonment },
}))
