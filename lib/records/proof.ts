/** The proof record (present-proof, Aries RFC 0037 and 0454): its schema and how a stored one is shown. */
import * as v from 'valibot'
import { PresentedAttributes } from './presented-attributes.ts'
import { type RecordContent, type RecordJson, recordSchema, toRecordJson } from './record-json.ts'

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

/** Decoded attachments of one message of the exchange, by the format's key in Credo. */
const FormatData = v.looseObject({
  indy: v.optional(v.unknown()),
  anoncreds: v.optional(v.unknown()),
  presentationExchange: v.optional(v.unknown()),
})

const PROOF_FIELDS = {
  /** Absent until a wallet has answered an out-of-band request. */
  connectionId: v.optional(v.string()),
  threadId: v.string(),
  parentThreadId: v.optional(v.string()),
  protocolVersion: v.string(),
  state: v.picklist(PROOF_STATES),
  role: v.picklist(PROOF_ROLES),
  autoAcceptProof: v.optional(v.string()),
  /** Of the verifier: what its own checks say. Absent until there is a presentation. */
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

export type ProofRecord = v.InferOutput<typeof ProofRecord>

/** What the messages of the exchange carry. */
const FORM_DATA = {
  proposal: v.optional(FormatData),
  request: v.optional(FormatData),
  presentation: v.optional(FormatData),
}

/** The form data by itself, as credo-controller returns it. */
export const BareFormData = v.strictObject(FORM_DATA)

/** The proof record joined with what its messages carry. */
export const ProofFormData = recordSchema({
  ...PROOF_FIELDS,
  ...FORM_DATA,
  /** Of AnonCreds presentations, by their format: what the wallet claims. */
  presentedAttributes: v.optional(
    v.strictObject({ indy: v.optional(PresentedAttributes), anoncreds: v.optional(PresentedAttributes) }),
  ),
})

export type ProofFormData = v.InferOutput<typeof ProofFormData>

export const toProofJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
