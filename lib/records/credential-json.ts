/** How a stored credential exchange is shown, and the revocation of its credential. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { type RecordContent, type RecordJson, Timestamp, toRecordJson } from './record-json.ts'

/** Name of the revocation state in the metadata of an exchange. */
export const REVOCATION = '_agent/revocation'

export const RevocationState = v.object({
  state: v.picklist(['pending', 'published']),
  revokedAt: Timestamp,
  /** Why the last attempts to publish it failed. Publishing is retried. */
  reason: v.optional(v.string()),
})
export type RevocationState = v.InferOutput<typeof RevocationState>

/** The revocation of an exchange's credential by this agent, if any. */
export const revocationOf = ({ value: { metadata } }: Pick<RecordContent, 'value'>): RevocationState | undefined => {
  const revocation = isObject(metadata) ? metadata[REVOCATION] : undefined
  return v.is(RevocationState, revocation) ? revocation : undefined
}

export const isPublished = (value: RecordJson): boolean => revocationOf({ value })?.state === 'published'

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
  return { ...metadata, [LEDGER_ENTRY]: { credentialDefinitionId, schemaId } }
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
