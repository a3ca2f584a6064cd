/** Request bodies of a prover that accepts or declines a proof request: the credentials to present, or why not. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { Comment, exactly, noArray, text } from './fields.ts'

/** Id of an input descriptor, or referent in AnonCreds. The verifier chooses them. */
const Name = text(256)

const byName = <Item extends v.GenericSchema>(item: Item) => v.pipe(noArray(v.record(Name, item)), v.maxEntries(100))

/** Credentials for each input descriptor, by the ids of their W3C records. If none is named, the agent selects. */
const PresentationExchangeSelection = exactly({
  credentials: v.optional(byName(v.pipe(v.array(EntityId), v.minLength(1), v.maxLength(10)))),
})

const AnonCredsSelection = exactly({
  /** The credential for each referent, by the id of its W3C record. If none is named, the agent selects. */
  credentials: v.optional(byName(v.pipe(v.array(EntityId), v.length(1, 'must name one credential')))),
  /** Values without a credential, for attributes that are requested without a restriction. */
  selfAttestedAttributes: v.optional(byName(v.pipe(v.string(), v.maxLength(65_536)))),
})

const SelectedFormats = exactly({
  indy: v.optional(AnonCredsSelection),
  anoncreds: v.optional(AnonCredsSelection),
  presentationExchange: v.optional(PresentationExchangeSelection),
})

export const ProofAcceptance = exactly({
  /** The formats to answer in; by default all that were requested. */
  proofFormats: v.optional(SelectedFormats, {}),
  comment: v.optional(Comment),
  goalCode: v.optional(text(255)),
  /** AnonCreds: if a proof of non-revocation is requested, the agent does not select revoked credentials. */
  filterByNonRevocationRequirements: v.optional(v.boolean(), true),
  /** Accepted and ignored, as by credo-controller: the selection follows from the request. */
  filterByPresentationPreview: v.optional(v.boolean()),
})

export type ProofAcceptance = v.InferOutput<typeof ProofAcceptance>

export const ProofDecline = exactly({
  /** Whether to send the verifier a problem report. If false, the connection may have ended. */
  sendProblemReport: v.optional(v.boolean(), true),
  problemReportDescription: v.optional(text(1000)),
})

export type ProofDecline = v.InferOutput<typeof ProofDecline>
