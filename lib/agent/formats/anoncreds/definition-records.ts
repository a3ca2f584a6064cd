/**
 * Records of the agent's credential definitions in the unit of work. An issuer, schema and tag has at most one that has
 * not failed.
 */

import * as v from 'valibot'
import { StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { credentialDefinitionRecords } from '../../../records/kinds.ts'
import type { RecordContent } from '../../../records/record-json.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { type DefinitionKey, definitionKeyItem } from './definition-items.ts'

/** The record with an id, if any. */
export const readDefinition = async (unit: UnitOfWork, id: string): Promise<StoredCredentialDefinition | undefined> => {
  const stored = await unit.read(unit.tenant, credentialDefinitionRecords.type, id)
  return stored && v.parse(StoredCredentialDefinition, stored.value)
}

/** The record of the definition with this credential definition id, if any. */
export const findDefinition = async (unit: UnitOfWork, id: string): Promise<StoredCredentialDefinition | undefined> => {
  const [stored] = await unit.find(unit.tenant, credentialDefinitionRecords.type, { credentialDefinitionId: id })
  return stored && v.parse(StoredCredentialDefinition, stored.value)
}

/** The record for the key, in any state. */
export const definitionAt = async (
  unit: UnitOfWork,
  key: DefinitionKey,
): Promise<StoredCredentialDefinition | undefined> => {
  const pointer = await unit.load(definitionKeyItem, { tenant: unit.tenant, ...key })
  return pointer && readDefinition(unit, pointer.record)
}

/** Adds a record, which replaces `before` under the key. */
export const addDefinition = (
  unit: UnitOfWork,
  record: StoredCredentialDefinition,
  before: StoredCredentialDefinition | undefined,
): void => {
  unit.insert(toStored(unit, record))
  const { issuerId, schemaId, tag } = record
  const item = definitionKeyItem.encode({ tenant: unit.tenant, issuerId, schemaId, tag, record: record.id })
  if (before === undefined) unit.create(item)
  else unit.replace(item, definitionKeyItem.attributes({ record: before.id }))
}

/** Changes a record that was read in the same unit of work. */
export const changeDefinition = async (
  unit: UnitOfWork,
  record: StoredCredentialDefinition,
  change: Partial<StoredCredentialDefinition>,
): Promise<void> => {
  await unit.update(toStored(unit, { ...record, ...change, updatedAt: new Date().toISOString() }))
}

/** The stored form of a record, with its tags. */
export const contentOf = (record: StoredCredentialDefinition): RecordContent & { tags: Record<string, string> } => {
  const { state, issuerId, schemaId, tag, credentialDefinitionId } = record
  const tags = {
    state,
    issuerId,
    schemaId,
    tag,
    ...(credentialDefinitionId !== undefined && { credentialDefinitionId }),
  }
  return { value: { ...record }, tags }
}

const toStored = ({ tenant }: UnitOfWork, record: StoredCredentialDefinition) => ({
  ...{ tenant, type: credentialDefinitionRecords.type, id: record.id },
  ...contentOf(record),
})
