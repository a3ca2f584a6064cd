/** How a prover answers a proof request: with which credentials, or not at all. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { Comment, exactly, noArray, text } from './fields.ts'

/** Ids of input descriptors, and referents of AnonCreds, are the verifier's: whatever it has sent. */
const Name = text(256)

const MAX_NAMED = 100

const byName = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(noArray(v.record(Name, item)), v.maxEntries(MAX_NAMED))

/** Held credentials for each input descriptor, by the ids of their W3C records. Where none is named, the agent selects. */
const PresentationExchangeAnswer = exactly({
  credentials: v.optional(byName(v.pipe(v.array(EntityId), v.minLength(1), v.maxLength(10)))),
})

const AnonCredsAnswer = exactly({
  /** One held credential for each referent of an attribute or predicate, by the id of its W3C record. Where none is named, the agent selects. */
  credentials: v.optional(byName(v.strictTuple([EntityId]))),
  /** Values that no issuer has signed, for attributes that are asked for without a restriction. */
  selfAttestedAttributes: v.optional(byName(v.pipe(v.string(), v.maxLength(65_536)))),
})

const AnswerFormats = exactly({
  indy: v.optional(AnonCredsAnswer),
  anoncreds: v.optional(AnonCredsAnswer),
  presentationExchange: v.optional(PresentationExchangeAnswer),
})

export const ProofAnswer = exactly({
  /** The formats to answer in; all that were asked for unless some are named. */
  proofFormats: v.optional(AnswerFormats, {}),
  comment: v.optional(Comment),
  goalCode: v.optional(text(255)),
  /** AnonCreds: whether credentials that are revoked are left out of the selection where a proof of non-revocation is asked for. */
  filterByNonRevocationRequirements: v.optional(v.boolean(), true),
  /** Of no effect, as with credo-controller: what is selected follows from the request. */
  filterByPresentationPreview: v.optional(v.boolean()),
})

export type ProofAnswer = v.InferOutput<typeof ProofAnswer>

export const ProofRefusal = exactly({
  /** Whether the verifier is told, by a problem report. */
  sendProblemReport: v.optional(v.boolean(), true),
  problemReportDescription: v.optional(text(1000)),
})

export type ProofRefusal = v.InferOutput<typeof ProofRefusal>
