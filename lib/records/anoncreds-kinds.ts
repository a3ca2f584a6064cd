/** Kinds of records that only Credo's AnonCreds reads: kinds.ts lists them with all others. */
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
