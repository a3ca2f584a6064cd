/** What an offer of a credential is made of: one or more formats of issue-credential (Aries RFC 0453, and 0036 with `indy` alone). */
import * as v from 'valibot'
import { MAX_ATTRIBUTES, MAX_OBJECT_ID } from '../records/anoncreds-objects.ts'
import { EntityId } from '../records/tenant.ts'
import { AutoAccept, exactly, text } from './fields.ts'
import { UnqualifiedDefinitionId } from './indy-ids.ts'
import { INVITATION_FIELDS } from './invitation.ts'
import { JsonLdCredential } from './json-ld-credential.ts'

const Attribute = exactly({
  // An object of attributes can not have a property of this name.
  name: v.pipe(text(256), v.notValue('__proto__', 'can not be the name of an attribute')),
  /** As text. A value that is a 32-bit integer can be used in predicates. */
  value: v.pipe(v.string(), v.maxLength(65_536)),
  mimeType: v.optional(text(255)),
})

export const Attributes = v.pipe(
  v.array(Attribute),
  v.minLength(1),
  v.maxLength(MAX_ATTRIBUTES),
  v.check((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must not name an attribute twice'),
)

const AnonCredsOffer = exactly({
  /** A credential definition of this agent, by its own id or its record's. */
  credentialDefinitionId: text(MAX_OBJECT_ID),
  attributes: Attributes,
})

const IndyOffer = exactly({
  /** A credential definition of this agent, by its unqualified id. */
  credentialDefinitionId: UnqualifiedDefinitionId,
  attributes: Attributes,
})

/** Aries RFC 0593. Wallets on Credo verify Ed25519Signature2018 only where the issuer is a did:key. */
const JsonLdOptions = exactly({
  proofType: v.picklist(['Ed25519Signature2018', 'Ed25519Signature2020']),
  proofPurpose: v.optional(v.literal('assertionMethod'), 'assertionMethod'),
})

export const JsonLdOffer = exactly({ credential: JsonLdCredential, options: JsonLdOptions })

export const CredentialFormats = v.pipe(
  exactly({
    indy: v.optional(IndyOffer),
    anoncreds: v.optional(AnonCredsOffer),
    jsonld: v.optional(JsonLdOffer),
  }),
  // A message has one preview, whose values are those of both credentials.
  v.check(
    ({ indy, anoncreds }) =>
      indy === undefined || anoncreds === undefined || isSame(indy.attributes, anoncreds.attributes),
    'must offer the same attributes in indy and in anoncreds',
  ),
)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const OFFER_FIELDS = {
  protocolVersion: v.picklist(['v1', 'v2']),
  credentialFormats: CredentialFormats,
  autoAcceptCredential: v.optional(AutoAccept, 'contentApproved'),
  comment: v.optional(v.pipe(v.string(), v.maxLength(2000))),
}

/** issue-credential 1.0 knows Indy alone; 2.0 carries one or more of the three. */
export const suits = (protocolVersion: string, formats: object): boolean => {
  const keys = Object.keys(formats)
  return protocolVersion === 'v1' ? keys.length === 1 && keys[0] === 'indy' : keys.length > 0
}

export const SUITS = 'must be exactly indy with v1, and one or more of indy, anoncreds, jsonld with v2'

export const ConnectionOffer = v.pipe(
  exactly({
    connectionId: EntityId,
    ...OFFER_FIELDS,
    /** Sent to the wallet in v2 only. */
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

export const OutOfBandOffer = v.pipe(
  exactly({
    ...OFFER_FIELDS,
    ...INVITATION_FIELDS,
    /** Accepted and ignored: an offer has no such field. */
    willConfirm: v.optional(v.boolean()),
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

export type OutOfBandOffer = v.InferOutput<typeof OutOfBandOffer>
