/** Kinds of records that only Credo's AnonCreds reads: kinds.ts lists them with all others. */
import { defineRecord, type RecordDefinition } from './define-record.ts'

const BY_DEFINITION = { credentialDefinitionId: { name: 'id' } }
const BY_REGISTRY = { revocationRegistryDefinitionId: { name: 'id' } }

/** What an offer of AnonCreds is made of, without private parts, has keys of its own. */
export const ANONCREDS_RECORDS: readonly RecordDefinition[] = [
  /* @__PURE__ */ defineRecord(() => ({
    type: 'AnonCredsKeyCorrectnessProofRecord',
    keys: 'key-correctness-proof',
    indexes: BY_DEFINITION,
  })),
  /* @__PURE__ */ defineRecord(() => ({ type: 'AnonCredsCredentialDefinitionPrivateRecord', indexes: BY_DEFINITION })),
  /* @__PURE__ */ defineRecord(() => ({ type: 'AnonCredsRevocationRegistryDefinitionRecord', indexes: BY_REGISTRY })),
  /* @__PURE__ */ defineRecord(() => ({
    type: 'AnonCredsRevocationRegistryDefinitionPrivateRecord',
    indexes: BY_REGISTRY,
  })),
  /* @__PURE__ */ defineRecord(() => ({
    type: 'AnonCredsLinkSecretRecord',
    indexes: { linkSecretId: { name: 'id' }, isDefault: { name: 'default' } },
  })),
]
