/** What a proof request is made of, on a connection or in an invitation, and what comes of the latter. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { AnonCredsProofRequest, IndyProofRequest } from './anoncreds-proof-request.ts'
import { AutoAccept, exactly, ThreadId, text } from './fields.ts'
import { INVITATION_FIELDS, INVITATION_RESULT } from './invitation.ts'
import { PresentationExchangeRequest } from './presentation-definition.ts'

/** What is asked for, in each format. */
export const ProofFormats = exactly({
  indy: v.optional(IndyProofRequest),
  anoncreds: v.optional(AnonCredsProofRequest),
  presentationExchange: v.optional(PresentationExchangeRequest),
})

/** The same where a field of a body has it. */
export const RequestedFormats = v.object({ proofFormats: ProofFormats })

/** present-proof 1.0 knows Indy alone; 2.0 carries one or more of the three. */
export const suits = (protocolVersion: 'v1' | 'v2', formats: object): boolean => {
  const keys = Object.keys(formats)
  return protocolVersion === 'v1' ? keys.length === 1 && keys[0] === 'indy' : keys.length > 0
}

export const SUITS = 'must be exactly indy with v1, and one or more of indy, anoncreds, presentationExchange with v2'

export const Comment = v.pipe(v.string(), v.maxLength(2000))

const REQUEST_FIELDS = {
  protocolVersion: v.picklist(['v1', 'v2']),
  proofFormats: ProofFormats,
  willConfirm: v.optional(v.boolean()),
  autoAcceptProof: v.optional(AutoAccept, 'contentApproved'),
  comment: v.optional(Comment),
}

export const ProofRequest = v.pipe(
  exactly({ ...REQUEST_FIELDS, ...INVITATION_FIELDS }),
  v.forward(
    v.partialCheck(
      [['protocolVersion'], ['proofFormats']],
      ({ protocolVersion, proofFormats }) => suits(protocolVersion, proofFormats),
      SUITS,
    ),
    ['proofFormats'],
  ),
)

/** The same on a connection. */
export const ConnectionProofRequest = v.pipe(
  exactly({
    connectionId: EntityId,
    ...REQUEST_FIELDS,
    goalCode: v.optional(text(255)),
    /** Becomes `~thread.pthid` of the request. */
    parentThreadId: v.optional(ThreadId),
  }),
  v.forward(
    v.partialCheck(
      [['protocolVersion'], ['proofFormats']],
      ({ protocolVersion, proofFormats }) => suits(protocolVersion, proofFormats),
      SUITS,
    ),
    ['proofFormats'],
  ),
)

export type ProofRequest = v.InferOutput<typeof ProofRequest>

/** The document's four fields, and the two without which the form data could not be asked for. */
export const ProofRequestResult = v.strictObject({
  ...INVITATION_RESULT,
  /** What tenant_ProofFormData is called with. */
  proofRecordId: v.string(),
  proofRecordThId: v.string(),
})
