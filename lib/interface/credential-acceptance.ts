/** Request bodies of the steps of a credential exchange. Its record is named in the body. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { anonCredsFormats } from './anoncreds-formats.ts'
import { Attributes, CredentialFormats, GOAL, JsonLdOffer } from './credential-offer.ts'
import { AutoAccept, Comment, exactly, text } from './fields.ts'
import { withSuitable } from './suitable-formats.ts'

const Nothing = exactly({})

const STEP = {
  credentialRecordId: EntityId,
  /** For the rest of this exchange. Default: the current setting of the exchange, or `contentApproved`. */
  autoAcceptCredential: v.optional(AutoAccept),
  comment: v.optional(Comment),
}

/** Absent fields are taken from the proposal, and so are all formats if none is named. */
export const ProposalAcceptance = exactly({
  ...STEP,
  ...GOAL,
  credentialFormats: v.optional(
    exactly({
      ...anonCredsFormats((id) =>
        exactly({ credentialDefinitionId: v.optional(id), attributes: v.optional(Attributes) }),
      ),
      jsonld: v.optional(JsonLdOffer),
    }),
  ),
})

/** The formats of an offer that answers a proposal: the rules are those of every offer. */
export const OfferedFormats = withSuitable(
  'credentialFormats',
  exactly({ protocolVersion: v.string(), credentialFormats: CredentialFormats }),
)

/** An agent has one link secret, with the id `default`. */
const HolderFormat = exactly({ linkSecretId: v.optional(v.literal('default')) })

export const OfferAcceptance = exactly({
  ...STEP,
  ...GOAL,
  /** Which of the offered formats to request; all of them if absent or empty. */
  credentialFormats: v.optional(
    exactly({ indy: v.optional(HolderFormat), anoncreds: v.optional(HolderFormat), jsonld: v.optional(Nothing) }),
  ),
})

export const RequestAcceptance = exactly({
  ...STEP,
  credentialFormats: v.optional(
    exactly({
      indy: v.optional(Nothing),
      anoncreds: v.optional(Nothing),
      /** A key of the issuer for assertions, of the type that the proof needs. */
      jsonld: v.optional(exactly({ verificationMethod: v.optional(text(4096)) })),
    }),
  ),
})

export const CredentialAcceptance = exactly({ credentialRecordId: EntityId })

export const OfferDecline = exactly({
  credentialRecordId: EntityId,
  /** Whether to send the issuer a problem report. If false, the connection may have ended. */
  sendProblemReport: v.optional(v.boolean(), true),
  problemReportDescription: v.optional(text(1000)),
})
