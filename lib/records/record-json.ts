/** A record as it is stored, and the JSON that every view of a record starts from. */
import * as v from 'valibot'
import { isObject } from '../json.ts'

// Notes of the agent for itself in a record's metadata: no answer and no event shows them.

/** The contexts that the verifier reads the presentation with, fixed when it was requested. */
export const VERIFIER_CONTEXTS = '_presentationExchange/contexts'

/** The presentation as it was signed, in the verifier's terms: form data shows this, and not what the wallet wrote. */
export const PRESENTED = '_presentationExchange/presentation'

/** Of a prover: the exchange is one of presentation exchange. */
export const PROVES_DEFINITION = '_presentationExchange/prover'

/** `value` is Credo's `toJSON()` without `_tags`; `tags` are the complete ones, as `getTags()` gives them. */
export interface RecordContent {
  value: Record<string, unknown>
  tags: Record<string, unknown>
}

export type RecordJson = Record<string, unknown> & { _tags: Record<string, unknown> }

/** ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp())

/** In a credential exchange's metadata: an AnonCreds credential was issued, whatever the exchange has become since, or else was offered. */
export const ANONCREDS_ISSUED = '_agent/issued'

/** In the metadata of an invitation that was received: which of its requests was handled. */
export const ATTACHED_REQUEST = '_agent/attachedRequest'

/** In the metadata of a connection: which DIDs and keys were made for its handshake and expire unless it is completed. */
export const EXPIRES_WITH_HANDSHAKE = '_agent/expiresWithHandshake'

/** Fields that Credo gives every record (BaseRecord). */
const BASE_FIELDS = {
  id: v.string(),
  createdAt: Timestamp,
  updatedAt: v.optional(Timestamp),
  metadata: v.record(v.string(), v.unknown()),
}

/**
 * Schema of a record: the base fields, the given ones, and whatever else Credo adds.
 */
export const recordSchema = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.looseObject({ ...BASE_FIELDS, ...entries })

/** Link-secret blinding data in a credential exchange: "credential request metadata" of AnonCreds v1.0. */
export const CREDENTIAL_REQUEST = '_anoncreds/credentialRequest'

/** Never returned: blinding data (`_internal/indyRequest` before Credo 0.4), and notes of our own. */
const HIDDEN_METADATA = [
  CREDENTIAL_REQUEST,
  '_internal/indyRequest',
  VERIFIER_CONTEXTS,
  PRESENTED,
  PROVES_DEFINITION,
  ANONCREDS_ISSUED,
  ATTACHED_REQUEST,
  EXPIRES_WITH_HANDSHAKE,
]

const shownMetadata = (metadata: unknown): Record<string, unknown> =>
  isObject(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => !HIDDEN_METADATA.includes(key)))
    : {}

/**
 * A record as it is returned: everything that Credo stored, the complete `_tags`, and `state` and `role` both at top level and in
 * `_tags`, as the peers do. Only secrets and notes of our own are left out.
 */
export const toRecordJson = ({ value, tags }: RecordContent): RecordJson => {
  const shared: Record<string, unknown> = {}
  for (const name of ['state', 'role']) {
    const held = value[name] ?? tags[name]
    if (held !== undefined) shared[name] = held
  }
  return { ...value, ...shared, metadata: shownMetadata(value.metadata), _tags: { ...tags, ...shared } }
}
