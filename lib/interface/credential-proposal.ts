/** What a holder proposes that it be issued (issue-credential, Aries RFC 0453, and 0036 with `indy` alone). */
import * as v from 'valibot'
import { MAX_OBJECT_ID } from '../records/anoncreds-objects.ts'
import { EntityId } from '../records/tenant.ts'
import { Attributes, JsonLdOffer, SUITS } from './credential-offer.ts'
import { AutoAccept, Comment, exactly, suits, text } from './fields.ts'

const Id = v.optional(text(MAX_OBJECT_ID))

/** Restricts the credential definition or schema; all given fields must match. */
const FILTER = {
  schemaId: Id,
  schemaName: v.optional(text(256)),
  schemaVersion: v.optional(text(256)),
  schemaIssuerDid: Id,
  issuerDid: Id,
  credentialDefinitionId: Id,
  attributes: v.optional(Attributes),
}

export const CredentialProposal = v.pipe(
  exactly({
    connectionId: EntityId,
    protocolVersion: v.picklist(['v1', 'v2']),
    credentialFormats: exactly({
      indy: v.optional(exactly(FILTER)),
      anoncreds: v.optional(exactly({ ...FILTER, schemaIssuerId: Id, issuerId: Id })),
      jsonld: v.optional(JsonLdOffer),
    }),
    /** With `contentApproved` an offer of exactly what is proposed is accepted by itself, with `always` any offer on this thread. */
    autoAcceptCredential: v.optional(AutoAccept, 'contentApproved'),
    comment: v.optional(Comment),
    goalCode: v.optional(text(255)),
    goal: v.optional(text(2000)),
  }),
  v.forward(
    v.partialCheck(
      [['protocolVersion'], ['credentialFormats']],
      ({ protocolVersion, credentialFormats }) => suits(protocolVersion, credentialFormats),
      SUITS,
    ),
    ['credentialFormats'],
  ),
)
