/** Records that no operation shows as they are, and that this service itself reads. */
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
