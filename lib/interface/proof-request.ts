/** What an out-of-band proof request is made of, and what comes of it. */
import * as v from 'valibot'
import { AnonCredsProofRequest, IndyProofRequest } from './anoncreds-proof-request.ts'
import { AutoAccept, exactly } from './fields.ts'
import { INVITATION_FIELDS, INVITATION_RESULT } from './invitation.ts'
import { PresentationExchangeRequest } from './presentation-definition.ts'

const ProofFormats = exactly({
  indy: v.optional(IndyProofRequest),
  anoncreds: v.optional(AnonCredsProofRequest),
  presentationExchange: v.optional(PresentationExchangeRequest),
})

/** present-proof 1.0 knows Indy alone; 2.0 carries one or more of the three. */
const suits = (protocolVersion: 'v1' | 'v2', formats: object): boolean => {
  const keys = Object.keys(formats)
  return protocolVersion === 'v1' ? keys.length === 1 && keys[0] === 'indy' : keys.length > 0
}

export const ProofRequest = v.pipe(
  exactly({
    protocolVersion: v.picklist(['v1', 'v2']),
    proofFormats: ProofFormats,
    willConfirm: v.optional(v.boolean()),
    autoAcceptProof: v.optional(AutoAccept, 'contentApproved'),
    comment: v.optional(v.pipe(v.string(), v.maxLength(2000))),
    ...INVITATION_FIELDS,
  }),
  v.forward(
    v.partialCheck(
      [['protocolVersion'], ['proofFormats']],
      ({ protocolVersion, proofFormats }) => suits(protocolVersion, proofFormats),
      'must be exactly indy with v1, and one or more of indy, anoncreds, presentationExchange with v2',
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
