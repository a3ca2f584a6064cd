/** Kinds of records of AnonCreds' objects: kinds.ts lists them with all others. */
import { defineRecord } from './define-record.ts'
import type { Owner } from './owners.ts'

const BY_DEFINITION = { credentialDefinitionId: { name: 'id' } }
const BY_REGISTRY = { revocationRegistryDefinitionId: { name: 'id' } }

const OF_DEFINITION = {
  CredentialDefinitionRecord: ({ value: { credentialDefinitionId } }: Owner) => ({ credentialDefinitionId }),
}
const OF_REGISTRY = {
  'revocation-registry': ({ value }: Owner) => ({ revocationRegistryDefinitionId: value.registryId }),
}

/** A separate permission (`keys`): an AnonCreds offer needs this record, and no private part. */
export const keyCorrectnessProofRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsKeyCorrectnessProofRecord',
  keys: 'key-correctness-proof',
  belongsTo: OF_DEFINITION,
  atMost: 'one for each definition',
  sealed: [],
  indexes: BY_DEFINITION,
}))

export const privateDefinitionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsCredentialDefinitionPrivateRecord',
  belongsTo: OF_DEFINITION,
  atMost: 'one for each definition',
  sealed: ['value'],
  indexes: BY_DEFINITION,
}))

export const revocationRegistryRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsRevocationRegistryDefinitionRecord',
  belongsTo: OF_REGISTRY,
  atMost: 'one for each registry: the next is created when one is nearly full',
  sealed: [],
  indexes: BY_REGISTRY,
}))

export const privateRevocationRegistryRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsRevocationRegistryDefinitionPrivateRecord',
  belongsTo: OF_REGISTRY,
  atMost: 'one for each registry',
  sealed: ['value'],
  indexes: BY_REGISTRY,
}))

export const linkSecretRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsLinkSecretRecord',
  belongsTo: { tenant: () => ({ isDefault: true }) },
  atMost: 'one: created with the first credential',
  sealed: ['value'],
  indexes: { linkSecretId: { name: 'id' }, isDefault: { name: 'default' } },
}))

export const schemaRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsSchemaRecord',
  keys: 'schema',
  belongsTo: { shared: { CredentialDefinitionRecord: ({ value: { schemaId } }) => ({ schemaId }) } },
  atMost: 'unlimited: each is created by a call',
  sealed: [],
  indexes: { schemaId: { name: 'id' }, unqualifiedSchemaId: { name: 'id' } },
}))

/** Published definitions. `credentialDefinitionRecords` describe their creation. */
export const definitionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'AnonCredsCredentialDefinitionRecord',
  keys: 'definition',
  belongsTo: OF_DEFINITION,
  atMost: 'one for each definition',
  sealed: [],
  indexes: { credentialDefinitionId: { name: 'id' }, unqualifiedCredentialDefinitionId: { name: 'id' } },
}))
