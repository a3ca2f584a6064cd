/** A credential definition that an agent makes: its record, under an id of the agent's own, because the definition's id may follow from its keys. */
import * as v from 'valibot'
import { type RecordContent, type RecordJson, recordSchema, toRecordJson } from './record-json.ts'

export const CREDENTIAL_DEFINITION = 'CredentialDefinitionRecord'

/** `wait`: its keys are being made. `action`: somebody has to write it to a ledger. */
export const CREDENTIAL_DEFINITION_STATES = ['wait', 'action', 'finished', 'failed'] as const

/** Credentials of each of a definition's revocation registries. */
export const MIN_REGISTRY_SIZE = 100
export const MAX_REGISTRY_SIZE = 5_000
export const DEFAULT_REGISTRY_SIZE = 1_000

const FIELDS = {
  state: v.picklist(CREDENTIAL_DEFINITION_STATES),
  issuerId: v.string(),
  schemaId: v.string(),
  tag: v.string(),
  supportRevocation: v.boolean(),
  /** Credentials of each of its revocation registries. */
  revocationRegistrySize: v.optional(v.number()),
  /** Known since `action` or `finished`. */
  credentialDefinitionId: v.optional(v.string()),
  /** Why it has failed. */
  reason: v.optional(v.string()),
}

export const CredentialDefinitionRecord = recordSchema({
  ...FIELDS,
  _tags: v.looseObject({
    state: v.picklist(CREDENTIAL_DEFINITION_STATES),
    issuerId: v.optional(v.string()),
    schemaId: v.optional(v.string()),
    tag: v.optional(v.string()),
    credentialDefinitionId: v.optional(v.string()),
  }),
})
export type CredentialDefinitionRecord = v.InferOutput<typeof CredentialDefinitionRecord>

/** What of a stored record this service has written itself. */
export const StoredCredentialDefinition = v.looseObject({
  id: v.string(),
  createdAt: v.string(),
  ...FIELDS,
})
export type StoredCredentialDefinition = v.InferOutput<typeof StoredCredentialDefinition>

export const toCredentialDefinitionJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
