/** Kinds of records of AnonCreds' objects: kinds.ts lists them with all others. */
import { defineRecord } from './define-record.ts'

const BY_DEFINITION = { credentialDefinitionId: { name: 'id' } }
const BY_REGISTRY = { revocationRegistryDefinitionId: { name: 'id' } }

/** What an offer of AnonCreds is made of, without private parts, has keys of its own. */
export const keyCorrectnessProofRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsKeyCorrectnessProofRecord',
  keys: 'key-correctness-proof',
  indexes: BY_DEFINITION,
}))

export const privateDefinitionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsCredentialDefinitionPrivateRecord',
  indexes: BY_DEFINITION,
}))

export const revocationRegistryRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsRevocationRegistryDefinitionRecord',
  indexes: BY_REGISTRY,
}))

export const privateRevocationRegistryRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsRevocationRegistryDefinitionPrivateRecord',
  indexes: BY_REGISTRY,
}))

export const linkSecretRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsLinkSecretRecord',
  indexes: { linkSecretId: { name: 'id' }, isDefault: { name: 'default' } },
}))

export const schemaRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsSchemaRecord',
  keys: 'schema',
  indexes: { schemaId: { name: 'id' }, unqualifiedSchemaId: { name: 'id' } },
}))

/** Published definitions. `credentialDefinitionRecords` are those of their creation. */
export const definitionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsCredentialDefinitionRecord',
  keys: 'definition',
  indexes: { credentialDefinitionId: { name: 'id' }, unqualifiedCredentialDefinitionId: { name: 'id' } },
}))
