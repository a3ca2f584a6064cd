/** Contracts for requesting a proof, over a connection or in an invitation, and the schemas of such a request. */
import * as v from 'valibot'
import { ProofRecord } from '../records/proof.ts'
import { EntityId } from '../records/tenant.ts'
import { AnonCredsProofRequest, IndyProofRequest } from './anoncreds-proof-request.ts'
import { ACTION, defineContract } from './contract.ts'
import { AutoAccept, Comment, exactly, ThreadId, text } from './fields.ts'
import { INVITATION_FIELDS, INVITATION_RESULT } from './invitation.ts'
import { PresentationExchangeRequest } from './presentation-definition.ts'
import { withSuitable } from './suitable-formats.ts'

/** The request in each format. */
export const ProofFormats = exactly({
  indy: v.optional(IndyProofRequest),
  anoncreds: v.optional(AnonCredsProofRequest),
  presentationExchange: v.optional(PresentationExchangeRequest),
})

/** A body with the formats in a field. */
export const RequestedFormats = v.object({ proofFormats: ProofFormats })

const REQUEST_FIELDS = {
  protocolVersion: v.picklist(['v1', 'v2']),
  proofFormats: ProofFormats,
  willConfirm: v.optional(v.boolean()),
  autoAcceptProof: v.optional(AutoAccept, 'contentApproved'),
  comment: v.optional(Comment),
}

const ProofRequest = withSuitable('proofFormats', exactly({ ...REQUEST_FIELDS, ...INVITATION_FIELDS }))

/** A request over a connection. */
const ConnectionProofRequest = withSuitable(
  'proofFormats',
  exactly({
    connectionId: EntityId,
    ...REQUEST_FIELDS,
    goalCode: v.optional(text(255)),
    /** `~thread.pthid` of the request. */
    parentThreadId: v.optional(ThreadId),
  }),
)

/**
 * The four fields of the interface document, two that are needed to retrieve the form data, and the names that
 * CreateOfferOob has for the others.
 */
export const ProofRequestResult = v.strictObject({
  ...INVITATION_RESULT,
  outOfBandRecordId: v.string(),
  /** For tenant_ProofFormData. */
  proofRecordId: v.string(),
  /** Thread id of the request, by two names. */
  proofRecordThId: v.string(),
  proofRequestThId: v.string(),
})

export const CreateRequest = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'CreateRequest',
  firstInterface: true,
  path: '/proofs/create-request-oob',
  summary: 'Create a presentation request that is not bound to a proposal or an existing connection',
  description:
    '422: a constraint, path, filter, pattern or claim format of the presentation definition would not be enforced; the error names it. ' +
    'Contexts in the options are trusted for this request in addition to those of the service, and so is a context at an address in `schema`, which ' +
    'is fetched now. They are not sent to the wallet.',
  body: ProofRequest,
  responses: { 200: ProofRequestResult },
}))

export const RequestProof = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'RequestProof',
  path: '/proofs/request-proof',
  summary: 'Send a proof request to a connection',
  description: '422: a part of the request would not be enforced, as for CreateRequest.',
  body: ConnectionProofRequest,
  responses: { 200: ProofRecord },
}))
