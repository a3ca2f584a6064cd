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

/** The proof record joined with what its messages carry. */
export const ProofFormData = recordSchema({
  /** Absent until a wallet has answered an out-of-band request. */
  connectionId: v.optional(v.string()),
  threadId: v.string(),
  protocolVersion: v.string(),
  state: v.picklist(PROOF_STATES),
  role: v.picklist(PROOF_ROLES),
  isVerified: v.optional(v.boolean()),
  errorMessage: v.optional(v.string()),
  proposal: v.optional(FormatData),
  request: v.optional(FormatData),
  presentation: v.optional(FormatData),
  /** Of AnonCreds presentations, by their format: what the wallet claims. */
  presentedAttributes: v.optional(
    v.strictObject({ indy: v.optional(PresentedAttributes), anoncreds: v.optional(PresentedAttributes) }),
  ),
  _tags: v.looseObject({ state: v.picklist(PROOF_STATES), role: v.picklist(PROOF_ROLES), threadId: v.string() }),
})

export type ProofFormData = v.InferOutput<typeof ProofFormData>

export const toProofJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
