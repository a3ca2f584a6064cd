/** Records that no operation shows: messages of exchanges, and what AnonCreds objects are made of. */
import { defineRecord } from './define-record.ts'

export const didCommMessageRecords = /* @__PURE__ */ defineRecord({
  type: 'DidCommMessageRecord',
  keys: 'didcomm-message',
  indexes: { associatedRecordId: { name: 'associatedRecordId' } },
})

export const schemaRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsSchemaRecord',
  keys: 'schema',
  indexes: { schemaId: { name: 'id' }, unqualifiedSchemaId: { name: 'id' } },
})

/** Published definitions. The record of a definition's creation is in credential-definition.ts. */
export const definitionRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsCredentialDefinitionRecord',
  keys: 'definition',
  indexes: { credentialDefinitionId: { name: 'id' }, unqualifiedCredentialDefinitionId: { name: 'id' } },
})

/** What an offer of AnonCreds is made of, without private parts. */
export const keyCorrectnessProofRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsKeyCorrectnessProofRecord',
  keys: 'key-correctness-proof',
  indexes: { credentialDefinitionId: { name: 'id' } },
})

export const definitionKeyRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsCredentialDefinitionPrivateRecord',
  indexes: { credentialDefinitionId: { name: 'id' } },
})

export const registryRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsRevocationRegistryDefinitionRecord',
  indexes: { revocationRegistryDefinitionId: { name: 'id' } },
})

export const registryKeyRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsRevocationRegistryDefinitionPrivateRecord',
  indexes: { revocationRegistryDefinitionId: { name: 'id' } },
})

export const linkSecretRecords = /* @__PURE__ */ defineRecord({
  type: 'AnonCredsLinkSecretRecord',
  indexes: { linkSecretId: { name: 'id' }, isDefault: { name: 'default' } },
})
