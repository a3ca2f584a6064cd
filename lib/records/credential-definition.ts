/**
 * The record of a credential definition that the agent creates. It has its own id, because the definition's id may
 * depend on its keys.
 */
import * as v from 'valibot'
import { recordSchema } from './record-json.ts'

/** `wait`: its keys are being generated. `action`: an operator must write it to a ledger. */
export const CREDENTIAL_DEFINITION_STATES = ['wait', 'action', 'finished', 'failed'] as const

/** Bounds of the number of credentials in a revocation registry. */
export const MIN_REGISTRY_SIZE = 100
export const MAX_REGISTRY_SIZE = 5_000
export const DEFAULT_REGISTRY_SIZE = 1_000

const FIELDS = {
  state: v.picklist(CREDENTIAL_DEFINITION_STATES),
  issuerId: v.string(),
  schemaId: v.string(),
  tag: v.string(),
  supportRevocation: v.boolean(),
  /** Number of credentials in each revocation registry; absent without `supportRevocation`. */
  revocationRegistrySize: v.optional(v.number()),
  /** Present in the states `action` and `finished`. */
  credentialDefinitionId: v.optional(v.string()),
  /**
   * Number of objects of its revocation registries that an operator had to write to a ledger so far. Each increase is
   * an event.
   */
  ledgerObjectsAdded: v.optional(v.number()),
  /** Reason of the failure. */
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

/** The fields of a stored record that this service writes. */
export const StoredCredentialDefinition = v.looseObject({
  id: v.string(),
  createdAt: v.string(),
  ...FIELDS,
})
export type StoredCredentialDefinition = v.InferOutput<typeof StoredCredentialDefinition>
