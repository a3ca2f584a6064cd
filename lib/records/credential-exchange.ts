/** The credential exchange record: its schema and how a stored one is shown. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { defineRecord, EXCHANGE_INDEXES, EXCHANGE_LISTS, isStateChange } from './define-record.ts'
import { type RecordContent, type RecordJson, recordSchema, Timestamp, toRecordJson } from './record-json.ts'

/** States of issue-credential v2 (Aries RFC 0453), in Credo's spelling. */
export const CREDENTIAL_STATES = [
  'proposal-sent',
  'proposal-received',
  'offer-sent',
  'offer-received',
  'request-sent',
  'request-received',
  'credential-issued',
  'credential-received',
  'done',
  'declined',
  'abandoned',
] as const

export const CREDENTIAL_ROLES = ['issuer', 'holder'] as const

/** Name of the revocation state in the metadata of an exchange. */
export const REVOCATION = '_agent/revocation'

export const RevocationState = v.object({
  state: v.picklist(['pending', 'published']),
  revokedAt: Timestamp,
  /** Why the last attempts to publish it have failed. It is tried again. */
  reason: v.optional(v.string()),
})
export type RevocationState = v.InferOutput<typeof RevocationState>

/** The revocation of an exchange's credential by this agent, if any. */
export const revocationOf = ({ value: { metadata } }: Pick<RecordContent, 'value'>): RevocationState | undefined => {
  const known = isObject(metadata) ? metadata[REVOCATION] : undefined
  return v.is(RevocationState, known) ? known : undefined
}

const isPublished = (value: RecordJson): boolean => revocationOf({ value })?.state === 'published'

export const CredentialExchangeRecord = recordSchema({
  /** Absent in a connectionless exchange. */
  connectionId: v.optional(v.string()),
  threadId: v.string(),
  parentThreadId: v.optional(v.string()),
  protocolVersion: v.string(),
  state: v.picklist(CREDENTIAL_STATES),
  role: v.picklist(CREDENTIAL_ROLES),
  /** Credentials that the holder has stored. */
  credentials: v.array(v.looseObject({ credentialRecordType: v.string(), credentialRecordId: v.string() })),
  /** Attributes of the credential preview (Aries RFC 0453). */
  credentialAttributes: v.array(
    v.looseObject({ name: v.string(), 'mime-type': v.optional(v.string()), value: v.string() }),
  ),
  autoAcceptCredential: v.optional(v.string()),
  /** The issuer's notification of the revocation (Aries RFC 0183). */
  revocationNotification: v.optional(
    v.looseObject({ revocationDate: v.optional(v.string()), comment: v.optional(v.string()) }),
  ),
  errorMessage: v.optional(v.string()),
  metadata: v.objectWithRest(
    {
      '_internal/indyCredential': v.optional(
        v.looseObject({ credentialDefinitionId: v.optional(v.string()), schemaId: v.optional(v.string()) }),
      ),
      /** Only of a credential that this agent has revoked. */
      [REVOCATION]: v.optional(RevocationState),
    },
    v.unknown(),
  ),
  _tags: v.looseObject({
    state: v.picklist(CREDENTIAL_STATES),
    threadId: v.string(),
    parentThreadId: v.optional(v.string()),
    connectionId: v.optional(v.string()),
    /** Ids of `credentials`. */
    credentialIds: v.optional(v.array(v.string())),
    role: v.optional(v.picklist(CREDENTIAL_ROLES)),
  }),
})

export type CredentialExchangeRecord = v.InferOutput<typeof CredentialExchangeRecord>

/**
 * Metadata that Credo writes for an AnonCreds exchange: schema, credential definition, position in the revocation
 * registry.
 */
export const ANONCREDS = '_anoncreds/credential'
const LEDGER_ENTRY = '_internal/indyCredential'

/** Adds the ledger-specific entry of the interface, derived from the one that Credo writes. */
const withLedgerEntry = (metadata: Record<string, unknown>): Record<string, unknown> => {
  const anonCreds = metadata[ANONCREDS]
  if (!isObject(anonCreds)) return metadata
  const { credentialDefinitionId, schemaId } = anonCreds
  return {
    ...metadata,
    [LEDGER_ENTRY]: {
      ...(credentialDefinitionId !== undefined && { credentialDefinitionId }),
      ...(schemaId !== undefined && { schemaId }),
    },
  }
}

/** A stored credential exchange as GetCredentialById shows it. Both lists are always present. */
export const toCredentialExchangeJson = (stored: RecordContent): RecordJson => {
  const json = toRecordJson(stored)
  return {
    ...json,
    credentials: Array.isArray(json.credentials) ? json.credentials : [],
    credentialAttributes: Array.isArray(json.credentialAttributes) ? json.credentialAttributes : [],
    metadata: isObject(json.metadata) ? withLedgerEntry(json.metadata) : {},
  }
}

export const credentialRecords = /* @__PURE__ */ defineRecord({
  type: 'CredentialRecord',
  schema: CredentialExchangeRecord,
  component: 'CredentialExchangeRecord',
  keys: 'credential',
  parameter: 'credentialRecordId',
  states: CREDENTIAL_STATES,
  indexes: EXCHANGE_INDEXES,
  lists: EXCHANGE_LISTS,
  events: {
    'credential.state_changed': {
      summary: 'The state of a credential exchange has changed',
      isChange: isStateChange,
    },
    'credential.revocation_published': {
      summary: 'A revocation by the agent is published: verifiers see it',
      isChange: (after, before) => before !== undefined && isPublished(after) && !isPublished(before),
    },
    'credential.revocation_notification_received': {
      summary: 'The issuer of a held credential has notified the agent of its revocation',
      // Once, however often it comes.
      isChange: (after, before) =>
        before !== undefined && isObject(after.revocationNotification) && !isObject(before.revocationNotification),
    },
  },
  ids: ['connectionId', 'threadId'],
  // An offer in both formats counts as AnonCreds, because the wallet's choice is unknown.
  format: (metadata) => (ANONCREDS in metadata ? 'credential/anoncreds' : 'credential/json-ld'),
  view: toCredentialExchangeJson,
})
