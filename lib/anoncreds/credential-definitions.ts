/** Reads a credential definition that an agent has created: its record, and the objects that belong to it. */
import * as v from 'valibot'
import { definitionRecords } from '../records/anoncreds-kinds.ts'
import { credentialDefinitionRecords } from '../records/kinds.ts'
import { type LedgerObject, toLedgerObject } from '../records/ledger-object.ts'
import { EntityId } from '../records/tenant.ts'
import { readItem } from '../store/item.ts'
import { recordAddress } from '../store/keys.ts'
import { type ReadRecord, readTagged } from '../store/record-reads.ts'
import { fromRecordItem } from '../store/stored-record.ts'
import { getItem, queryAll } from '../store/table.ts'
import { ledgerObjectItem, registryWriteItem, registryWritePartition } from './ledger-objects.ts'

export interface OwnDefinition {
  record: ReadRecord
  /** Only in the state `finished`. */
  credentialDefinition?: unknown
  /** Objects that an operator must write for it or its revocation registries; absent if there are none. */
  ledgerObjects?: LedgerObject[]
}

/** Finds a definition by the id of its record or its own id; undefined if the agent has none. */
export const readOwnDefinition = async (tenant: string, id: string): Promise<OwnDefinition | undefined> => {
  const record = await findRecord(tenant, id)
  if (record === undefined) return undefined
  const { id: recordId, state, credentialDefinitionId, supportRevocation } = record.value
  if (state === 'action') {
    const object = await readItem(ledgerObjectItem, { tenant, id: String(recordId) })
    return { record, ...withLedgerObjects(object === undefined ? [] : [toLedgerObject(object.transaction)]) }
  }
  if (typeof credentialDefinitionId !== 'string') return { record }
  const [credentialDefinition, writes] = await Promise.all([
    readPublishedDefinition(tenant, credentialDefinitionId),
    supportRevocation === true ? queryAll(registryWritePartition(tenant, credentialDefinitionId)) : [],
  ])
  const ledgerObjects = writes.map((item) => toLedgerObject(registryWriteItem.decode(item).transaction))
  return { record, credentialDefinition, ...withLedgerObjects(ledgerObjects) }
}

/** The published part of a definition that the agent has created. */
export const readPublishedDefinition = async (tenant: string, credentialDefinitionId: string): Promise<unknown> => {
  const [published] = await readTagged(tenant, definitionRecords, 'credentialDefinitionId', credentialDefinitionId)
  return published?.value.credentialDefinition
}

const withLedgerObjects = (ledgerObjects: LedgerObject[]) => (ledgerObjects.length === 0 ? {} : { ledgerObjects })

const findRecord = async (tenant: string, id: string): Promise<ReadRecord | undefined> => {
  const item = v.is(EntityId, id)
    ? await getItem(recordAddress(tenant, credentialDefinitionRecords.type, id))
    : undefined
  if (item !== undefined) return fromRecordItem(item)
  const [record] = await readTagged(tenant, credentialDefinitionRecords, 'credentialDefinitionId', id)
  return record
}
