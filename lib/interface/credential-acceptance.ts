/** Request bodies of the steps of a credential exchange. Its record is named in the body. */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { EntityId } from '../records/tenant.ts'
import { anonCredsFormats } from './anoncreds-formats.ts'
import { Attributes, CredentialFormats, JsonLdOffer } from './credential-offer.ts'
import { AutoAccept, Comment, exactly, text } from './fields.ts'
import { areSuitable, SUITABLE } from './suitable-formats.ts'

const Nothing = exactly({})

const STEP = {
  credentialRecordId: EntityId,
  /** For the rest of this exchange. Default: the current setting of the exchange, or `contentApproved`. */
  autoAcceptCredential: v.optional(AutoAccept),
  comment: v.optional(Comment),
}

/** Sent to the wallet in v2 only. */
const GOAL = { goalCode: v.optional(text(255)), goal: v.optional(text(2000)) }

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

/** Checks the formats of an offer that answers a proposal by the rules of every offer. Throws `request.invalid`. */
export const checkOffered = (formats: object, protocolVersion: string): v.InferOutput<typeof CredentialFormats> => {
  const { success, output, issues = [] } = v.safeParse(CredentialFormats, formats)
  if (success && areSuitable(protocolVersion, output)) return output
  const details = success
    ? [{ path: 'credentialFormats', message: SUITABLE.credentialFormats }]
    : issues.map((issue) => ({
        path: ['credentialFormats', v.getDotPath(issue)].filter((part) => part !== null).join('.'),
        message: issue.message,
      }))
  throw new AgentError('request.invalid', 'what would be offered breaks its schema', { details })
}

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
  /** Whether to send the issuer a problem report. Without one the connection may have ended. */
  sendProblemReport: v.optional(v.boolean(), true),
  problemReportDescription: v.optional(text(1000)),
})
