/**
 * Contracts for offering a credential, and the schemas of an offer (issue-credential, Aries RFC 0453; with `indy` also
 * version 1, RFC 0036).
 */
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { MAX_ATTRIBUTES, MAX_INT32 } from '../records/anoncreds-objects.ts'
import { CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { EntityId } from '../records/tenant.ts'
import { anonCredsFormats } from './anoncreds-formats.ts'
import { ACTION, defineContract } from './contract.ts'
import { AutoAccept, Comment, exactly, MimeType, noNul, text } from './fields.ts'
import { INVITATION_FIELDS, INVITATION_RESULT } from './invitation.ts'
import { JsonLdCredential } from './json-ld-credential.ts'
import { withSuitable } from './suitable-formats.ts'

/**
 * Whether other agents read a text as an integer that this agent signs as a text: wallets on Credo do so with a plus
 * sign, and reject the credential; ACA-Py verifiers also with spaces or underscores, and reject the presentation.
 */
const isOtherwiseInteger = (text: string): boolean =>
  /^\s*[+-]?\d+(?:_\d+)*\s*$/.test(text) &&
  !/^-?\d+$/.test(text) &&
  Math.abs(Number(text.replaceAll('_', ''))) <= MAX_INT32

const Attribute = exactly({
  // Libraries keep attributes as properties of an object.
  name: v.pipe(text(256), v.notValue('__proto__', 'must not be the name of an attribute')),
  /** Predicates are possible only for values that are 32-bit integers. */
  value: v.pipe(
    v.string(),
    v.maxLength(65_536),
    v.check((text) => !isOtherwiseInteger(text), 'must not be a number with a plus sign, a space or an underscore'),
    noNul,
  ),
  mimeType: v.optional(MimeType),
})

export const Attributes = v.pipe(
  v.array(Attribute),
  v.minLength(1),
  v.maxLength(MAX_ATTRIBUTES),
  v.check((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must not name an attribute twice'),
)

/** Of a credential definition of this agent: by its own id or, in `anoncreds`, its record's. */
const AnonCredsOffers = anonCredsFormats((credentialDefinitionId) =>
  exactly({ credentialDefinitionId, attributes: Attributes }),
)

/** Aries RFC 0593. Wallets on Credo verify Ed25519Signature2018 only if the issuer is a did:key. */
const JsonLdOptions = exactly({
  proofType: v.picklist(['Ed25519Signature2018', 'Ed25519Signature2020']),
  proofPurpose: v.optional(v.literal('assertionMethod'), 'assertionMethod'),
})

export const JsonLdOffer = exactly({ credential: JsonLdCredential, options: JsonLdOptions })

export const CredentialFormats = v.pipe(
  exactly({ ...AnonCredsOffers, jsonld: v.optional(JsonLdOffer) }),
  // The message has one preview for both formats.
  v.check(
    ({ indy, anoncreds }) =>
      indy === undefined || anoncreds === undefined || isDeepStrictEqual(indy.attributes, anoncreds.attributes),
    'must offer the same attributes in indy and in anoncreds',
  ),
)

/** Sent to the wallet in v2 only. */
export const GOAL = { goalCode: v.optional(text(255)), goal: v.optional(text(2000)) }

const OFFER_FIELDS = {
  protocolVersion: v.picklist(['v1', 'v2']),
  credentialFormats: CredentialFormats,
  autoAcceptCredential: v.optional(AutoAccept, 'contentApproved'),
  comment: v.optional(Comment),
}

const ConnectionOffer = withSuitable(
  'credentialFormats',
  exactly({
    connectionId: EntityId,
    ...OFFER_FIELDS,
    ...GOAL,
  }),
)

const OutOfBandOffer = withSuitable(
  'credentialFormats',
  exactly({
    ...OFFER_FIELDS,
    ...INVITATION_FIELDS,
    /** Accepted and ignored: an offer has no such field. */
    willConfirm: v.optional(v.boolean()),
  }),
)

export const CreateOffer = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'CreateOffer',
  path: '/credentials/create-offer',
  summary: 'Offer a credential to a connection',
  description:
    'As JSON-LD or AnonCreds (indy, anoncreds). 422: the attributes do not match the schema; the error names them, and nothing is sent. ' +
    'A wallet is issued exactly what was offered.',
  body: ConnectionOffer,
  responses: { 200: CredentialExchangeRecord },
}))

export const CreateOfferOob = /* @__PURE__ */ defineContract(() => ({
  ...ACTION,
  operationId: 'CreateOfferOob',
  path: '/credentials/create-offer-oob',
  summary: 'Offer a credential in a single-use out-of-band invitation',
  body: OutOfBandOffer,
  responses: {
    200: v.strictObject({
      ...INVITATION_RESULT,
      outOfBandRecordId: v.string(),
      /** For GetCredentialById. */
      credentialRecordId: v.string(),
      /** Thread id of the offer, by two names. */
      credentialRecordThId: v.string(),
      credentialRequestThId: v.string(),
    }),
  },
}))
