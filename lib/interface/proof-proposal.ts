/** Request bodies for a prover's proposal, and for a verifier that accepts one. */
import * as v from 'valibot'
import { Int32, PredicateType } from '../records/anoncreds-objects.ts'
import { EntityId } from '../records/tenant.ts'
import { anonCredsFormats } from './anoncreds-formats.ts'
import { AutoAccept, Comment, exactly, MimeType, ThreadId, text } from './fields.ts'
import { PresentationDefinition } from './presentation-definition.ts'
import { ProofFormats } from './proof-request.ts'
import { withSuitable } from './suitable-formats.ts'

const Name = text(256)

/** Credo collects attributes in an object, which has these names already. */
const Referent = v.pipe(
  text(128),
  v.check((referent) => !(referent in {}), 'must not be a name that every object has'),
)

const listOf = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.optional(v.pipe(v.array(exactly(entries)), v.maxLength(100)), [])

const preview = (credentialDefinitionId: v.GenericSchema<unknown, string>) =>
  v.pipe(
    exactly({
      /** Name of the request that the verifier makes of the proposal; not in version 1. */
      name: v.optional(Name),
      version: v.optional(text(64)),
      attributes: listOf({
        name: Name,
        credentialDefinitionId: v.optional(credentialDefinitionId),
        /** The value of the attribute; in version 1 only. */
        value: v.optional(v.pipe(v.string(), v.maxLength(65_536))),
        mimeType: v.optional(MimeType),
        /** Attributes with the same referent are from one credential. */
        referent: v.optional(Referent),
      }),
      predicates: listOf({ name: Name, credentialDefinitionId, predicate: PredicateType, threshold: Int32 }),
    }),
    v.check(
      ({ attributes, predicates }) => attributes.length + predicates.length > 0,
      'must propose an attribute or a predicate',
    ),
    v.check(
      ({ attributes }) =>
        attributes.every(({ referent, credentialDefinitionId: id }) => referent === undefined || id !== undefined),
      'must name the credential definition of an attribute with a referent',
    ),
  )

const ProposalFormats = exactly({
  ...anonCredsFormats(preview),
  presentationExchange: v.optional(exactly({ presentationDefinition: PresentationDefinition })),
})

export const ProofProposal = withSuitable(
  'proofFormats',
  exactly({
    connectionId: EntityId,
    /** Clients of credo-controller do not send it, because credo-controller has version 1 only. */
    protocolVersion: v.optional(v.picklist(['v1', 'v2']), 'v1'),
    proofFormats: ProposalFormats,
    /** Unless `never`, a request for exactly what is proposed is answered without a call. */
    autoAcceptProof: v.optional(AutoAccept, 'contentApproved'),
    comment: v.optional(Comment),
    goalCode: v.optional(text(255)),
    parentThreadId: v.optional(ThreadId),
  }),
)

export type ProofProposal = v.InferOutput<typeof ProofProposal>

export const ProposalAcceptance = exactly({
  /** The same as in the path. Clients of credo-controller send both. */
  proofRecordId: v.optional(EntityId),
  /** What to request. For absent formats, what was proposed is requested. */
  proofFormats: v.optional(ProofFormats, {}),
  autoAcceptProof: v.optional(AutoAccept),
  willConfirm: v.optional(v.boolean()),
  comment: v.optional(Comment),
  goalCode: v.optional(text(255)),
})

export type ProposalAcceptance = v.InferOutput<typeof ProposalAcceptance>
