/** Removes DIDs and their keys when nothing uses them any more. */
import { type KeyPurpose, keyAddress, keyItem } from '../keys/key-item.ts'
import { fingerprintOf, keysIn, keysOfDid } from '../keys/named-keys.ts'
import {
  connectionRecords,
  didRecords,
  FORMER_KEYS,
  MAX_QUERY_ENTRIES,
  outOfBandRecords,
  PUBLIC_DID,
} from '../records/kinds.ts'
import { tagPartition } from '../store/index-entries.ts'
import type { StoredRecord } from '../store/stored-record.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

interface Key {
  keyId: string
  purpose: KeyPurpose
}

/**
 * Removes those of these DIDs that no connection and no invitation uses, with their records and keys, in the unit of
 * work. Public DIDs stay. The other agents of connections have named some of these DIDs, so a DID is no evidence that
 * its keys belong to it.
 */
export const removeUnusedDids = async (unit: UnitOfWork, dids: readonly string[]): Promise<void> => {
  for (const did of new Set(dids)) await removeIfUnused(unit, did)
}

const removeIfUnused = async (unit: UnitOfWork, did: string): Promise<void> => {
  const { tenant } = unit
  // An inline service of an invitation names only the key of a DID.
  const recipientKeyFingerprints = KEY_DID.exec(did)?.slice(1)
  const byKey = recipientKeyFingerprints === undefined ? [] : [{ recipientKeyFingerprints }]
  const query = { $or: [{ did }, { alternativeDids: [did] }, ...byKey] }
  const records = await unit.find(tenant, didRecords.type, query)
  if (records.some(isPublic)) return
  const keys = await keysOf(unit, did, records)
  const names = [
    ...records.map(({ value }) => String(value.did)),
    ...keys.flatMap(({ purpose }) => purpose.did?.did ?? []),
  ]
  for (const name of new Set([did, ...names])) if (await isOfConnection(unit, name)) return
  for (const key of keys) if (await isUsed(unit, key, records)) return
  for (const { type, id } of records) await unit.remove(tenant, type, id)
  for (const { keyId } of keys) unit.delete(keyAddress(tenant, keyId))
}

const KEY_DID = /^did:key:(z6Mk[^#]+)/

const isPublic = ({ tags }: StoredRecord): boolean => tags[PUBLIC_DID] === true

/** Indexes of connections by their DIDs and former ones, those of the other agents, and those of their invitations. */
const USES = ['did', 'theirDid', 'invitationDid']

const isOfConnection = async (unit: UnitOfWork, did: string): Promise<boolean> => {
  const partitions = USES.map((tag) => tagPartition(unit.tenant, connectionRecords, tag, did))
  const range = { limit: MAX_QUERY_ENTRIES, descending: true }
  const pages = await Promise.all(partitions.map((partition) => unit.query(partition, range)))
  return pages.some(({ items }) => items.length > 0)
}

/** The stored keys that were created for the DID, or that its records name. */
const keysOf = async (unit: UnitOfWork, did: string, records: StoredRecord[]): Promise<Key[]> => {
  const named = records.flatMap(({ value }) => keysOfDid(value))
  const keyIds = [...new Set([...named, ...keysIn([did])])]
  const items = (await unit.getAll(keyIds.map((keyId) => keyAddress(unit.tenant, keyId)))).map((item) =>
    keyItem.decodePart(item, ['pk', 'purpose']),
  )
  return keyIds.flatMap((keyId) => {
    const item = items.find(({ pk }) => pk === keyAddress(unit.tenant, keyId).pk)
    if (item === undefined) return []
    const { purpose = {} } = item
    const isInline = KEY_DID.test(did) && (purpose.did ?? purpose.outOfBandId) !== undefined
    return named.includes(keyId) || purpose.did?.did === did || isInline ? [{ keyId, purpose }] : []
  })
}

/** Whether an invitation or another DID of this agent has the key. `removed`: records to remove. */
const isUsed = async (unit: UnitOfWork, { keyId, purpose }: Key, removed: StoredRecord[]): Promise<boolean> => {
  const { tenant } = unit
  const fingerprint = fingerprintOf(keyId)
  // Connections and invitations have no keys of other types.
  if (fingerprint === undefined) return true
  const { outOfBandId } = purpose
  if (outOfBandId !== undefined && (await unit.read(tenant, outOfBandRecords.type, outOfBandId))) return true
  const invitations = await unit.find(tenant, outOfBandRecords.type, { [FORMER_KEYS]: [fingerprint] })
  const dids = await unit.find(tenant, didRecords.type, { recipientKeyFingerprints: [fingerprint], role: 'created' })
  return invitations.length > 0 || dids.some(({ id }) => removed.every((record) => record.id !== id))
}
