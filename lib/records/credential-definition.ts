/**
 * The record of a credential definition that the agent creates. It has an id of its own, because the definition's id
 * may depend on its keys.
 */
import * as v from 'valibot'
import { defineRecord, EVERY, isStateChange } from './define-record.ts'
import { recordSchema } from './record-json.ts'

/** `wait`: its keys are being generated. `action`: an operator has to write it to a ledger. */
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
  /** Number of credentials in each revocation registry. */
  revocationRegistrySize: v.optional(v.number()),
  /** Present in the states `action` and `finished`. */
  credentialDefinitionId: v.optional(v.string()),
  /**
   * How many objects of its revocation registries its operator had to write to a ledger so far. It grows with each, so
   * each is an event.
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
export type CredentialDefinitionRecord = v.InferOutput<typeof CredentialDefinitionRecord>

/** The fields of a stored record that this service writes. */
export const StoredCredentialDefinition = v.looseObject({
  id: v.string(),
  createdAt: v.string(),
  ...FIELDS,
})
export type StoredCredentialDefinition = v.InferOutput<typeof StoredCredentialDefinition>

export const credentialDefinitionRecords = /* @__PURE__ */ defineRecord({
  type: 'CredentialDefinitionRecord',
  schema: CredentialDefinitionRecord,
  keys: 'own-definition',
  parameter: 'credentialDefinitionId',
  states: CREDENTIAL_DEFINITION_STATES,
  indexes: {
    [EVERY]: { name: EVERY, copy: true },
    credentialDefinitionId: { name: 'credentialDefinitionId' },
  },
  events: {
    'credential_definition.state_changed': {
      summary: 'The state of a credential definition has changed: its keys are generated, or it has failed',
      isChange: isStateChange,
    },
    'credential_definition.ledger_objects_added': {
      summary:
        'An operator has to write an object of a revocation registry to a ledger: the definition has it in `ledgerObjects`',
      isChange: (after, before) =>
        before !== undefined &&
        after.ledgerObjectsAdded !== undefined &&
        after.ledgerObjectsAdded !== before.ledgerObjectsAdded,
    },
  },
})
