/** The record of a DID of the agent, and DID documents: their schemas. */
import * as v from 'valibot'
import { PUBLIC_DID } from './kinds.ts'
import { recordSchema } from './record-json.ts'

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

/** Mediators in front of an agent: each message is encrypted for each (Aries RFC 0094). */
export const MAX_ROUTING_KEYS = 8

/** https://www.w3.org/TR/did-core/#services, and Aries RFC 0067. Services of other agents may have any content. */
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

export const DidRecord = recordSchema({
  did: v.string(),
  role: v.literal('created'),
  /** Absent if the document can be derived from the DID. */
  didDocument: v.optional(DidDocument),
  /** Maps keys of the document to keys of the agent. */
  keys: v.optional(v.array(v.looseObject({ didDocumentRelativeKeyId: v.string(), kmsKeyId: v.string() }))),
  _tags: v.looseObject({
    did: v.string(),
    role: v.literal('created'),
    method: v.string(),
    methodSpecificIdentifier: v.optional(v.string()),
    legacyUnqualifiedDid: v.optional(v.string()),
    alternativeDids: v.optional(v.array(v.string())),
    recipientKeyFingerprints: v.optional(v.array(v.string())),
    [PUBLIC_DID]: v.optional(v.boolean()),
  }),
})
