/** A stored record, and the JSON that every view of a record starts from. */
import * as v from 'valibot'
import { isObject } from '../json.ts'

// Metadata for internal use: neither responses nor events show it.

/** JSON-LD contexts with which the verifier reads the presentation, fixed by the request. */
export const VERIFIER_CONTEXTS = '_presentationExchange/contexts'

/** The presentation as it was signed, in the verifier's terms: form data shows this instead of the wallet's JSON. */
export const PRESENTED = '_presentationExchange/presentation'

/** Marks a prover's exchange of DIF Presentation Exchange. */
export const PROVES_DEFINITION = '_presentationExchange/prover'

/** `value` is Credo's `toJSON()` without `_tags`. `tags` is the complete `getTags()`. */
export interface RecordContent {
  value: Record<string, unknown>
  tags: Record<string, unknown>
}

export type RecordJson = Record<string, unknown> & { _tags: Record<string, unknown> }

/** ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp())

/**
 * Marks a credential exchange in which an AnonCreds credential was issued, in any later state. An offer alone does not
 * set it.
 */
export const ANONCREDS_ISSUED = '_agent/issued'

/** In the metadata of a holder's exchange whose credential could not be verified yet: the reason, which is shown. */
export const UNVERIFIED = '_agent/unverified'

/** Metadata of a received invitation: which of its attached requests was handled. */
export const ATTACHED_REQUEST = '_agent/attachedRequest'

/** In the metadata of a connection: the DIDs and keys that expire unless its handshake is completed. */
export const EXPIRES_WITH_HANDSHAKE = '_agent/expiresWithHandshake'

/** In the metadata of a connection: the rotations of the other agent's DID. */
export const ROTATIONS = '_agent/rotations'

/** The same: the DID to which the other agent rotates, until it has authenticated a message. */
export const PENDING_DID = '_internal/pendingTheirDid'

/** Fields that Credo gives every record (BaseRecord). */
const BASE_FIELDS = {
  id: v.string(),
  createdAt: Timestamp,
  updatedAt: v.optional(Timestamp),
  metadata: v.record(v.string(), v.unknown()),
}

/** Schema of a record: the base fields, the given entries, and any other fields that Credo adds. */
export const recordSchema = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.looseObject({ ...BASE_FIELDS, ...entries })

/** Link-secret blinding data in a credential exchange: "credential request metadata" of AnonCreds v1.0. */
export const CREDENTIAL_REQUEST = '_anoncreds/credentialRequest'

/** Never returned: blinding data (`_internal/indyRequest` before Credo 0.4) and internal metadata. */
const HIDDEN_METADATA = [
  CREDENTIAL_REQUEST,
  '_internal/indyRequest',
  VERIFIER_CONTEXTS,
  PRESENTED,
  PROVES_DEFINITION,
  ANONCREDS_ISSUED,
  ATTACHED_REQUEST,
  EXPIRES_WITH_HANDSHAKE,
  ROTATIONS,
  PENDING_DID,
]

const shownMetadata = (metadata: unknown): Record<string, unknown> =>
  isObject(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => !HIDDEN_METADATA.includes(key)))
    : {}

/**
 * A record as the API returns it: everything that Credo stored, all `_tags`, and `state` and `role` both at top level
 * and in `_tags`, as other agents return them. Only secrets and internal metadata are left out.
 */
export const toRecordJson = ({ value, tags }: RecordContent): RecordJson => {
  const shared: Record<string, unknown> = {}
  for (const name of ['state', 'role']) {
    const shown = value[name] ?? tags[name]
    if (shown !== undefined) shared[name] = shown
  }
  return { ...value, ...shared, metadata: shownMetadata(value.metadata), _tags: { ...tags, ...shared } }
}
