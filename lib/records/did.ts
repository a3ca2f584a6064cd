/** The record of a DID of the agent: its schema and how a stored one is shown; and what a DID resolves to. */
import * as v from 'valibot'
import { handshakePartExpiry } from './connection.ts'
import { type RecordContent, type RecordJson, recordSchema, toRecordJson } from './record-json.ts'

const VerificationMethod = v.looseObject({
  id: v.string(),
  type: v.string(),
  controller: v.optional(v.string()),
  publicKeyBase58: v.optional(v.string()),
  publicKeyMultibase: v.optional(v.string()),
  publicKeyJwk: v.optional(v.record(v.string(), v.unknown())),
})

/** Ids of verification methods, or the methods themselves. */
const Relationship = v.optional(v.array(v.union([v.string(), VerificationMethod])))

/** https://www.w3.org/TR/did-core/#services, and Aries RFC 0067. What others write there may be anything. */
const Service = v.looseObject({
  id: v.string(),
  type: v.optional(v.unknown()),
  serviceEndpoint: v.optional(v.unknown()),
  priority: v.optional(v.unknown()),
  recipientKeys: v.optional(v.unknown()),
  routingKeys: v.optional(v.unknown()),
  accept: v.optional(v.unknown()),
})

/** https://www.w3.org/TR/did-core/#core-properties */
export const DidDocument = v.looseObject({
  '@context': v.optional(v.unknown()),
  id: v.string(),
  alsoKnownAs: v.optional(v.array(v.string())),
  controller: v.optional(v.unknown()),
  verificationMethod: v.optional(v.array(VerificationMethod)),
  authentication: Relationship,
  assertionMethod: Relationship,
  keyAgreement: Relationship,
  capabilityInvocation: Relationship,
  capabilityDelegation: Relationship,
  service: v.optional(v.array(Service)),
})

/** The tag, and the name of the list, of DIDs that the agent is to be known by: not of those of single invitations and connections. */
export const PUBLIC_DID = 'public'

export const DidRecord = recordSchema({
  did: v.string(),
  role: v.literal('created'),
  /** Absent where the document follows from the DID. */
  didDocument: v.optional(DidDocument),
  /** Which key of the agent a key of the document is. */
  keys: v.optional(v.array(v.looseObject({ didDocumentRelativeKeyId: v.string(), kmsKeyId: v.string() }))),
  _tags: v.looseObject({
    did: v.string(),
    role: v.literal('created'),
    method: v.string(),
    methodSpecificIdentifier: v.optional(v.string()),
    legacyUnqualifiedDid: v.optional(v.string()),
    alternativeDids: v.optional(v.array(v.string())),
    recipientKeyFingerprints: v.optional(v.array(v.string())),
    /** The agent is to be known by it. */
    [PUBLIC_DID]: v.optional(v.boolean()),
  }),
})

/** The tag of DIDs that were made for a handshake which anybody may begin: they expire unless it is completed. */
export const OF_UNFINISHED_HANDSHAKE = 'ofUnfinishedHandshake'

/** When the record of a DID expires, in epoch seconds; undefined: never. */
export const didExpiry = ({ value, tags }: RecordContent): number | undefined =>
  tags[OF_UNFINISHED_HANDSHAKE] === true ? handshakePartExpiry(new Date(String(value.createdAt))) : undefined

export const toDidJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
