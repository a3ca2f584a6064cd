/** The schema of a holder's proposal (issue-credential, Aries RFC 0453; with `indy` also version 1, RFC 0036). */
import * as v from 'valibot'
import { MAX_OBJECT_ID } from '../records/anoncreds-objects.ts'
import { EntityId } from '../records/tenant.ts'
import { UNQUALIFIED } from './anoncreds-formats.ts'
import { Attributes, GOAL, JsonLdOffer } from './credential-offer.ts'
import { AutoAccept, Comment, exactly, text } from './fields.ts'
import { withSuitable } from './suitable-formats.ts'

const Id = v.optional(text(MAX_OBJECT_ID))
const Version = text(256)
const IndyVersion = v.pipe(Version, v.regex(/^(?:\d+\.){0,2}(?:\d+|\*)$/, 'must be at most three numbers, as 1.0'))

/** Restricts credential definition and schema: all given fields must match. */
const ANONCREDS_FILTER = {
  schemaId: Id,
  schemaName: v.optional(text(256)),
  schemaVersion: v.optional(Version),
  schemaIssuerDid: Id,
  issuerDid: Id,
  credentialDefinitionId: Id,
  attributes: v.optional(Attributes),
}

const INDY_FILTER = {
  ...ANONCREDS_FILTER,
  schemaId: v.optional(UNQUALIFIED.schemaId),
  schemaVersion: v.optional(IndyVersion),
  schemaIssuerDid: v.optional(UNQUALIFIED.did),
  issuerDid: v.optional(UNQUALIFIED.did),
  credentialDefinitionId: v.optional(UNQUALIFIED.definitionId),
}

export const CredentialProposal = withSuitable(
  'credentialFormats',
  exactly({
    connectionId: EntityId,
    protocolVersion: v.picklist(['v1', 'v2']),
    credentialFormats: exactly({
      indy: v.optional(exactly(INDY_FILTER)),
      anoncreds: v.optional(exactly({ ...ANONCREDS_FILTER, schemaIssuerId: Id, issuerId: Id })),
      jsonld: v.optional(JsonLdOffer),
    }),
    /**
     * `contentApproved`: an offer of exactly what is proposed is accepted without a call. `always`: any offer on this
     * thread.
     */
    autoAcceptCredential: v.optional(AutoAccept, 'contentApproved'),
    comment: v.optional(Comment),
    ...GOAL,
  }),
)
