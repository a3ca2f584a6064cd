/** The proof record (present-proof, Aries RFC 0037 and 0454): its schema. */
import * as v from 'valibot'
import { PresentedAttributes } from './presented-attributes.ts'
import { recordSchema } from './record-json.ts'

/** States of present-proof, in Credo's spelling. */
export const PROOF_STATES = [
  'proposal-sent',
  'proposal-received',
  'request-sent',
  'request-received',
  'presentation-sent',
  'presentation-received',
  'done',
  'declined',
  'abandoned',
] as const

export const PROOF_ROLES = ['verifier', 'prover'] as const

/** Decoded attachments of a message, by the key of their format in Credo. */
const FormatData = v.looseObject({
  indy: v.optional(v.unknown()),
  anoncreds: v.optional(v.unknown()),
  presentationExchange: v.optional(v.unknown()),
})

const PROOF_FIELDS = {
  /** Absent until a wallet answers an out-of-band request. */
  connectionId: v.optional(v.string()),
  threadId: v.string(),
  parentThreadId: v.optional(v.string()),
  protocolVersion: v.string(),
  state: v.picklist(PROOF_STATES),
  role: v.picklist(PROOF_ROLES),
  autoAcceptProof: v.optional(v.string()),
  /** Result of the verifier's checks. Absent until there is a presentation. */
  isVerified: v.optional(v.boolean()),
  errorMessage: v.optional(v.string()),
  _tags: v.looseObject({
    state: v.picklist(PROOF_STATES),
    role: v.picklist(PROOF_ROLES),
    threadId: v.string(),
    parentThreadId: v.optional(v.string()),
    connectionId: v.optional(v.string()),
  }),
}

export const ProofRecord = recordSchema(PROOF_FIELDS)

/** Contents of the exchange's messages. */
const FORM_DATA = {
  proposal: v.optional(FormatData),
  request: v.optional(FormatData),
  presentation: v.optional(FormatData),
}

/** The form data without the record, as credo-controller returns it. */
export const BareFormData = v.strictObject(FORM_DATA)

/** The proof record joined with the form data. */
export const ProofFormData = recordSchema({
  ...PROOF_FIELDS,
  ...FORM_DATA,
  /**
   * Of a verified presentation: the formats that it was verified in. A prover may answer fewer than were requested
   * (Aries RFC 0454).
   */
  verifiedFormats: v.optional(v.array(v.picklist(['indy', 'anoncreds', 'presentationExchange']))),
  /** Claims of AnonCreds presentations, by format. */
  presentedAttributes: v.optional(
    v.strictObject({ indy: v.optional(PresentedAttributes), anoncreds: v.optional(PresentedAttributes) }),
  ),
})
